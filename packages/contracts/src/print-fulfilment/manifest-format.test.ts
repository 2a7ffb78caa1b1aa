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
  // weight first
  ['application/json;q=0.5, application/x-ndjson;q=0.9, text/csv;q=0.8', 'ndjson'],
  ['application/json; q=0.1, text/csv; q=0.2', 'csv'],
  ['text/csv;q=0.4, */*;q=0.5', 'json'],
  // then who is named more exactly
  ['text/csv, */*', 'csv'],
  ['application/*, application/x-ndjson', 'ndjson'],
  // the most exact range has the say about a type, also when it says no
  ['application/json;q=0, application/*', 'ndjson'],
  ['application/json;q=0, application/x-ndjson;q=0, */*;q=0.1', 'csv'],
  // none of ours
  ['application/pdf', 'json'],
  ['text/csv;q=0', 'json'],
  ['text/csv;q=many', 'json'],
  ['', 'json'],
]

test.for(rows)('Accept: %s gets %s', ([accept, format]) => {
  expect(chooseManifestFormat(accept)).toBe(format)
})

test('each format has a tag of its own', () => {
  expect(manifestTag('d1', 'json')).toBe('"d1"')
  expect(manifestTag('d1', 'ndjson')).toBe('"d1-ndjson"')
  expect(manifestTag('d1', 'csv')).toBe('"d1-csv"')
})
