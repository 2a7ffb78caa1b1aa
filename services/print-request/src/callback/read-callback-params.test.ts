import { writeDestination } from '@despatch/domain/callback/destination'
import { expect, test, vi } from 'vitest'
import { readCallbackParams } from './read-callback-params.ts'

const target = 'https://consumer.example/status?token=a.b'
const retryParams = { enabled: true, maxRetryWindow: 60 }
const sealed = (authenticationHeader?: string) =>
  Buffer.from(writeDestination({ target, ...(authenticationHeader && { authenticationHeader }) }))
const unseal = (bytes: Uint8Array) => Buffer.from(bytes).toString()
const open = { unseal, onUnreadable: () => expect.unreachable() }
const kept = {
  callbackParams: {},
  callbackDestinationSealed: sealed(),
  callbackOrigin: 'https://consumer.example',
}

test.each([
  ['no callbacks wanted', { callbackParams: null, callbackDestinationSealed: null }, null],
  ['a target', {}, { target }],
  ['with retry params', { callbackParams: { retryParams } }, { target, retryParams }],
  [
    'with credentials, which are masked where they are shown',
    { callbackDestinationSealed: sealed('Bearer abc') },
    { target, authenticationHeader: 'Bearer abc' },
  ],
])('%s', (_what, detail, expected) => {
  expect(readCallbackParams({ ...kept, ...detail }, open)).toEqual(expected)
})

test('returns only the origin if the destination cannot be unsealed, and logs it', () => {
  const onUnreadable = vi.fn()
  const unseal = () => {
    throw new Error('The callback destination was sealed with another secret key')
  }

  const params = readCallbackParams(
    { ...kept, callbackParams: { retryParams } },
    { unseal, onUnreadable },
  )

  expect(params).toEqual({ target: 'https://consumer.example/********', retryParams })
  expect(onUnreadable.mock.calls).toEqual([[]])
})
