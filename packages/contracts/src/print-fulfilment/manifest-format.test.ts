import { expect, test } from 'vitest'
import { chooseManifestFormat, manifestTag } from './manifest-format.ts'

const rows: [accept: string | undefined, format: string][] = [
  [undefined, 'json'],
  ['*/*', 'json'],
  ['application/json', 'json'],
  ['application/x-ndjson', 'ndjson'],
  ['text/csv', 'csv'],
  ['Text/CSV; charset=utf-8', 'csv'],
  ['text/*', 'csv'],
  ['application/*', 'json'],
  // The weight decides first.
  ['application/json;q=0.5, application/x-ndjson;q=0.9, text/csv;q=0.8', 'ndjson'],
  ['application/json; q=0.1, text/csv; q=0.2', 'csv'],
  ['text/csv;q=0.4, */*;q=0.5', 'json'],
  // Then the more exact name.
  ['text/csv, */*', 'csv'],
  ['application/*, application/x-ndjson', 'ndjson'],
  // The most exact range decides for a type, even if it refuses the type.
  ['application/json;q=0, application/*', 'ndjson'],
  ['application/json;q=0, application/x-ndjson;q=0, */*;q=0.1', 'csv'],
  // No format that we offer.
  ['application/pdf, text/csv;q=0.5', 'csv'],
  ['application/pdf', 'json'],
  ['text/csv;q=0', 'json'],
  ['text/csv;q=many', 'json'],
  ['', 'json'],
]

test.for(rows)('Accept: %s chooses %s', ([accept, format]) => {
  expect(chooseManifestFormat(accept)).toBe(format)
})

test('each format has its own tag', () => {
  expect(manifestTag('d1', 'json')).toBe('"d1"')
  expect(manifestTag('d1', 'ndjson')).toBe('"d1-ndjson"')
  expect(manifestTag('d1', 'csv')).toBe('"d1-csv"')
})
