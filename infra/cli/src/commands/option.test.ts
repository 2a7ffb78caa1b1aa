import { InvalidArgumentError } from 'commander'
import { expect, test } from 'vitest'
import { parseMoment, parsePageSize } from './option.ts'

test.for([
  ['1', '1'],
  ['050', '50'],
  ['100', '100'],
])('a page of %s is asked for as %s', ([text, sent]) => {
  expect(parsePageSize(text!)).toBe(sent)
})

test.for([
  ['0', 'It must be at least 1.'],
  ['101', 'It must be at most 100.'],
  ['many', 'It must be a whole number.'],
  ['1.5', 'It must be a whole number.'],
  ['', 'It must be a whole number.'],
])('a page of "%s" is not asked for: %s', ([text, why]) => {
  expect(() => parsePageSize(text!)).toThrow(new InvalidArgumentError(why!))
})

test.for(['2026-01-31T09:00:00Z', '2026-01-31T09:00:00.123+01:00', '2026-01-31T09:00Z'])(
  '%s is a moment',
  (text) => {
    expect(parseMoment(text)).toBe(text)
  },
)

test.for(['yesterday', '2026-01-31', '2026-01-31T09:00:00', '2026-13-31T09:00:00Z', ''])(
  '"%s" is not a moment',
  (text) => {
    expect(() => parseMoment(text)).toThrow(
      new InvalidArgumentError(
        'It must be a date and time with a time zone, such as 2026-01-31T09:00:00Z.',
      ),
    )
  },
)
