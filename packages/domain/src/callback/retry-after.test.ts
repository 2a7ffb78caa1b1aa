import { expect, onTestFinished, test, vi } from 'vitest'
import { parseRetryAfter } from './retry-after.ts'

const now = new Date('2026-03-02T10:00:00.500Z')

const headers: [header: string | undefined, seconds: number | undefined][] = [
  [undefined, undefined],
  ['', undefined],
  ['soon', undefined],
  ['-5', undefined],
  ['1.5', undefined],
  ['120s', undefined],
  ['in 120', undefined],
  ['0', 0],
  ['120', 120],
  [' 120 ', 120],
  ['99999999999999999999999', Number.MAX_SAFE_INTEGER],
  ['Mon, 02 Mar 2026 10:01:00 GMT', 60],
  ['Monday, 02-Mar-26 10:01:00 GMT', 60],
  ['Mon, 02 Mar 2026 09:00:00 GMT', 0],
  ['Mon, 99 Mar 2026 10:01:00 GMT', undefined],
  ['2026-03-02', undefined],
  ['at Mon, 02 Mar 2026 10:01:00 GMT', undefined],
  ['mon, 02 Mar 2026 10:01:00 GMT', undefined],
  [' Mon, 02 Mar 2026 10:01:00 GMT ', 60],
]

test.for(headers)('Retry-After: %j asks for %j seconds', ([header, seconds]) => {
  expect(parseRetryAfter(header, { date: undefined, now })).toBe(seconds)
})

test('a date without a time zone is of GMT, wherever the process runs', () => {
  vi.stubEnv('TZ', 'Asia/Tokyo')
  onTestFinished(() => void vi.unstubAllEnvs())

  expect(parseRetryAfter('Mon Mar  2 10:01:00 2026', { date: undefined, now })).toBe(60)
})

const dates: [date: string, seconds: number][] = [
  ['Mon, 02 Mar 2026 09:59:00 GMT', 120],
  ['Mon, 02 Mar 2026 13:00:00 GMT', 0],
  ['Mon, 02 Mar 2026 10:01:00 GMT', 0],
  [' Mon, 02 Mar 2026 09:59:00 GMT ', 120],
  ['Sunday', 60],
  ['', 60],
]

test.for(dates)(
  'Retry-After 10:01:00 of a response of "%s" asks for %d seconds',
  ([date, seconds]) => {
    const header = 'Mon, 02 Mar 2026 10:01:00 GMT'
    expect(parseRetryAfter(header, { date, now })).toBe(seconds)
  },
)

test.for(dates)('a delay in seconds does not depend on the date: %s', ([date]) => {
  expect(parseRetryAfter('120', { date, now })).toBe(120)
})
