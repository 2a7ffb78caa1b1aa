import { parseRange } from '@despatch/domain/callback/may-call'
import type { FieldFault } from '@despatch/domain/problem'
import { describe, expect, test } from 'vitest'
import { planCallback } from './plan-callback.ts'

const seal = (text: string) => Buffer.from(`sealed ${text}`)
const strict = { callbackAllow: [], seal }

describe('a target that can never be called is refused with the reason', () => {
  const isNoAddress = 'must be an http or https address'
  const isNoPort = 'has a port that callbacks cannot use'
  const hasCredentials = 'must not contain a user name or password. Use authenticationHeader'
  const isNotPublic = 'is at an address that is not public, where callbacks are not delivered'

  test.each([
    ['not an address', isNoAddress],
    ['https://', isNoAddress],
    ['ftp://consumer.example/status', isNoAddress],
    ['javascript:alert(1)', isNoAddress],
    ['https://consumer.example:22/status', isNoPort],
    ['http://consumer.example:6379x/status', isNoAddress],
    ['https://consumer.example:6000/status', isNoPort],
    ['https://user:password@consumer.example/status', hasCredentials],
    ['https://user@consumer.example/status', hasCredentials],
    ['http://127.0.0.1/status', isNotPublic],
    ['http://0x7f000001/status', isNotPublic],
    ['http://10.1.2.3:8080/status', isNotPublic],
    ['http://169.254.169.254/latest/meta-data', isNotPublic],
    ['http://[::1]/status', isNotPublic],
    ['http://[::ffff:10.0.0.1]/status', isNotPublic],
    ['http://localhost:8080/status', isNotPublic],
  ])('%s', (target, why) => {
    const faults: FieldFault[] = []

    const planned = planCallback({ target }, strict, faults)

    expect(planned).toBeUndefined()
    expect(faults).toEqual([
      {
        field: 'callbackParams.target',
        code: 'InvalidFormat',
        detail: `callbackParams.target ${why}`,
      },
    ])
  })
})

test.each([
  ['https://consumer.example/status', 'https://consumer.example'],
  ['HTTPS://Consumer.Example:443/status', 'https://consumer.example'],
  ['http://consumer.example:8080', 'http://consumer.example:8080'],
  ["https://consumer.example/a b?token=it's#part", 'https://consumer.example'],
  ['https://93.184.216.34/status', 'https://93.184.216.34'],
])('of the target %s only the origin is stored unsealed', (target, origin) => {
  const faults: FieldFault[] = []

  const planned = planCallback({ target }, strict, faults)

  expect(faults).toEqual([])
  expect(planned).toEqual({ origin, destinationSealed: seal(JSON.stringify([target])) })
})

test('seals the credentials with the target, and stores the retry parameters', () => {
  const target = 'https://consumer.example/status'
  const retryParams = { enabled: true, maxRetryWindow: 60 }

  const planned = planCallback(
    { target, authenticationHeader: 'Bearer abc', retryParams },
    strict,
    [],
  )

  expect(planned).toEqual({
    origin: 'https://consumer.example',
    destinationSealed: seal(JSON.stringify([target, 'Bearer abc'])),
    retryParams,
  })
})

test('accepts an address in an allowed range that is not public', () => {
  const callbackAllow = [parseRange('10.0.0.0/8')!]

  expect(planCallback({ target: 'http://10.1.2.3:8080/' }, { callbackAllow, seal }, [])).toEqual({
    origin: 'http://10.1.2.3:8080',
    destinationSealed: seal('["http://10.1.2.3:8080/"]'),
  })
})
