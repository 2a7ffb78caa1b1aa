import { expect, test } from 'vitest'
import { mayRepeat, parseRetryAfter, pauseMsAfter } from './retry.ts'
import { useTokenForMs } from './token.ts'

test.for<
  [string, { status?: number; retryAfterSeconds?: number }, repeatable: boolean, other: boolean]
>([
  ['no answer', {}, true, false],
  ['408', { status: 408 }, true, false],
  ['500', { status: 500 }, true, false],
  ['503 for a minute', { status: 503, retryAfterSeconds: 60 }, true, false],
  ['503 for longer', { status: 503, retryAfterSeconds: 61 }, false, false],
  ['429, which nothing has come of', { status: 429 }, true, true],
  ['400', { status: 400 }, false, false],
  ['401', { status: 401 }, false, false],
  ['409', { status: 409 }, false, false],
])('after %s, a request that may be repeated is: %s', ([, failed, repeatable, other]) => {
  expect(mayRepeat(failed, true)).toBe(repeatable)
  expect(mayRepeat(failed, false)).toBe(other)
})

test('the pause doubles up to 30 seconds, loses up to half at random, and is never shorter than Retry-After', () => {
  expect([1, 2, 3, 7, 60].map((attempt) => pauseMsAfter({}, attempt, 0))).toEqual([
    200, 400, 800, 12_800, 30_000,
  ])
  expect(pauseMsAfter({}, 1, 1)).toBe(100)
  expect(pauseMsAfter({ retryAfterSeconds: 7 }, 1, 0.5)).toBe(7_000)
})

test.for([
  [null, undefined],
  ['12', 12],
  [' 0 ', 0],
  ['Thu, 01 Jan 1970 00:01:30 GMT', 30],
  ['Thu, 01 Jan 1970 00:00:30 GMT', 0],
  ['soon', undefined],
  ['-1e99', undefined],
] as const)('the client reads Retry-After %j as %s', ([value, seconds]) => {
  expect(parseRetryAfter(value, 60_000)).toBe(seconds)
})

test('a token is used until a minute before it expires, or for nine tenths of a short life', () => {
  const tokenOf = (payload: object) =>
    `e30.${Buffer.from(JSON.stringify(payload)).toString('base64url')}.x`

  expect(useTokenForMs(tokenOf({ iat: 5, exp: 3_605, name: 'ÿ?>' }))).toBe(3_540_000)
  expect(useTokenForMs(tokenOf({ iat: 5, exp: 65 }))).toBe(54_000)
  expect(useTokenForMs(tokenOf({}))).toBe(Number.POSITIVE_INFINITY)
  expect(useTokenForMs('opaque')).toBe(Number.POSITIVE_INFINITY)
})
