import { expect, test } from 'vitest'
import { chooseMediaType } from './media-type.ts'

const rows: [accept: string | undefined, mediaType: string][] = [
  [undefined, 'application/json'],
  ['*/*', 'application/json'],
  ['text/csv', 'text/csv'],
  ['Text/CSV; charset=utf-8', 'text/csv'],
  ['text/*', 'text/csv'],
  ['application/json;q=0.5, text/csv', 'text/csv'],
  ['text/csv, */*', 'text/csv'],
  ['text/csv;q=0.4, */*;q=0.5', 'application/json'],
  // Only a media type that is not offered is named, so the first offered type is used.
  ['application/x-ndjson, text/csv;q=0.5', 'text/csv'],
  ['application/pdf', 'application/json'],
  ['text/csv;q=0', 'application/json'],
]

test.for(rows)('Accept: %s chooses %s', ([accept, mediaType]) => {
  expect(chooseMediaType(accept, ['application/json', 'text/csv'])).toBe(mediaType)
})
