import { createSecretKey } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createSecretsOf, signMessage } from './signing.ts'

const one = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const two = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD'
const keyOf = (secret: string) => createSecretKey(secret.slice('whsec_'.length), 'base64')
const body = Buffer.from('{"a":"é"}')
const timestampSeconds = Math.floor(Date.now() / 1000)
const message = { id: 'c2b1e6f0-1b7e-4a53-9d3f-0e0a4d1c2b3a', timestampSeconds, body }

function headersWith(signature: string) {
  return {
    'webhook-id': message.id,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': signature,
  }
}

test('a consumer with either of two secrets can verify the message', () => {
  const headers = headersWith(signMessage(message, [keyOf(one), keyOf(two)])!)

  expect(new Webhook(one).verify(body, headers)).toEqual({ a: 'é' })
  expect(new Webhook(two).verify(body, headers)).toEqual({ a: 'é' })
})

test('a changed message fails verification', () => {
  const headers = headersWith(signMessage(message, [keyOf(one)])!)
  const changed = Buffer.from(body)
  changed[1]! ^= 1

  expect(() => new Webhook(one).verify(changed, headers)).toThrow('No matching signature')
  expect(() => new Webhook(one).verify(body, { ...headers, 'webhook-id': 'other' })).toThrow()
  expect(() =>
    new Webhook(one).verify(body, {
      ...headers,
      'webhook-timestamp': String(timestampSeconds - 1),
    }),
  ).toThrow()
  expect(() => new Webhook(two).verify(body, headers)).toThrow('No matching signature')
})

test('without a secret the message has no signature', () => {
  expect(signMessage(message, [])).toBeUndefined()
})

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

test('finds the secrets of many calls in one query, and caches them for two seconds', async () => {
  const asked: string[][] = []
  const secretsOf = createSecretsOf({
    findSealed: async (ids) => {
      asked.push([...ids])
      return new Map([['a', [Buffer.from(one), Buffer.from(two)]]])
    },
    unseal: (sealed) => sealed.toString(),
  })

  const found = await Promise.all([secretsOf('a'), secretsOf('a'), secretsOf('b')])
  vi.advanceTimersByTime(1_999)
  await secretsOf('a')
  expect(asked).toEqual([['a', 'b']])
  vi.advanceTimersByTime(1)
  await secretsOf('a')

  expect(
    found.map((keys) => keys.map((key) => key.equals(keyOf(one)) || key.equals(keyOf(two)))),
  ).toEqual([[true, true], [true, true], []])
  expect(asked).toEqual([['a', 'b'], ['a']])
})

test('the secrets of at most 1,000 consumers are cached', async () => {
  const asked: string[] = []
  const secretsOf = createSecretsOf({
    findSealed: async (ids) => {
      asked.push(...ids)
      return new Map()
    },
    unseal: String,
  })
  const many = Array.from({ length: 1_000 }, (_, index) => `${index}`)

  for (const ids of [many, ['0'], ['more'], ['0']]) await Promise.all(ids.map(secretsOf))

  expect(asked.slice(1_000)).toEqual(['more', '0'])
})

test('the next call repeats a failed lookup', async () => {
  let failures = 1
  const secretsOf = createSecretsOf({
    findSealed: async () => {
      if (failures-- > 0) throw new Error('away')
      return new Map()
    },
    unseal: String,
  })

  await expect(secretsOf('a')).rejects.toThrow('away')

  expect(await secretsOf('a')).toEqual([])
})

test('a lookup whose reply was lost is repeated at once', async () => {
  let failures = 1
  const secretsOf = createSecretsOf({
    findSealed: async () => {
      if (failures-- > 0) throw Object.assign(new Error('away'), { code: '57P01' })
      return new Map()
    },
    unseal: String,
  })

  expect(await secretsOf('a')).toEqual([])
})
