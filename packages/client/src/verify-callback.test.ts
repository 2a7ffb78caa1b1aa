import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { type CallbackHeaders, verifyCallback } from './verify-callback.ts'

const body = '{"id":"m1"}'
const secret = `whsec_${Buffer.from('a secret').toString('base64')}`
const signature = `v1,${createHmac('sha256', 'a secret').update(`m1.100.${body}`).digest('base64')}`

const verified = (headers: CallbackHeaders) =>
  verifyCallback({ headers, body, secrets: [secret], nowSeconds: 100 }).then(
    ({ id }) => id,
    ({ kind }) => kind,
  )

const rest = { 'webhook-id': 'm1', 'webhook-timestamp': '100' }

test.for<[string, CallbackHeaders, string]>([
  ['names in lower case', { ...rest, 'webhook-signature': signature }, 'm1'],
  [
    'names in any case',
    { 'Webhook-Id': 'm1', 'WEBHOOK-TIMESTAMP': '100', 'Webhook-Signature': signature },
    'm1',
  ],
  ['lists of one value', { ...rest, 'webhook-signature': [signature] }, 'm1'],
  ['Headers', new Headers({ ...rest, 'webhook-signature': signature }), 'm1'],
  [
    'two ids',
    { ...rest, 'webhook-id': ['m1', 'm2'], 'webhook-signature': signature },
    'not-verified',
  ],
  [
    'a name in two spellings',
    { ...rest, 'Webhook-Id': 'm2', 'webhook-signature': signature },
    'not-verified',
  ],
  ['no signature', rest, 'not-verified'],
  ['an undefined signature', { ...rest, 'webhook-signature': undefined }, 'not-verified'],
  ['no headers', {}, 'not-verified'],
])('a callback with %s is verified or refused', async ([, headers, result]) => {
  expect(await verified(headers)).toBe(result)
})
