import { expect, test } from 'vitest'
import { isOutageFailure } from './outage-failures.ts'

test.each([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  '08006',
  '53100',
  '53300',
  '57P01',
  '57P03',
  '57014',
  '25006',
  'TimeoutError',
  'ServiceUnavailable',
  'SlowDown',
  'InternalError',
  '503',
  'NoSuchBucket',
  'DependencyUnavailable',
])('%s reports an outage', (failure) => {
  expect(isOutageFailure(failure)).toBe(true)
})

test.each([
  null,
  'Error',
  'TypeError',
  '23505',
  '22P02',
  '42703',
  'NoSuchKey',
  '404',
  '5030',
  '1503',
  'NotTimeoutError',
])('%s does not report an outage', (failure) => {
  expect(isOutageFailure(failure)).toBe(false)
})
