import { expect, test } from 'vitest'
import { type MailFormat, mailFormatOf } from './mail-format.ts'

const rows: [sheets: number, format: MailFormat][] = [
  [1, 'LETTER'],
  [5, 'LETTER'],
  [6, 'LARGE_LETTER'],
  [200, 'LARGE_LETTER'],
]

test.each(rows)('%i sheets are a %s', (sheets, format) => {
  expect(mailFormatOf(sheets)).toBe(format)
})
