import type { Consumer } from '@despatch/store/access/consumers'
import { expect, test } from 'vitest'
import { createConsumerCache } from './consumer-cache.ts'

function aCache() {
  const clock = { monotonicMs: 0, wallMs: 1_700_000_000_000 }
  const pass = (ms: number) => {
    clock.monotonicMs += ms
    clock.wallMs += ms
  }
  const stored = { isApiKeyChanging: false }
  const reads: ((consumer: Consumer | undefined) => void)[] = []
  const cache = createConsumerCache({
    find: () => {
      const { promise, resolve } = Promise.withResolvers<Consumer | undefined>()
      reads.push(resolve)
      return promise
    },
    now: () => new Date(clock.wallMs),
    monotonicMs: () => clock.monotonicMs,
  })
  const consumer = (name = 'Notify') => ({ ...stored, name }) as Consumer
  const read = async (given: Consumer | undefined) => {
    const reading = cache.read('id')
    reads.at(-1)?.(given)
    return reading
  }
  return { clock, pass, cache, consumer, read, reads, stored }
}

test('keeps a consumer for a second', async () => {
  const { cache, pass, consumer, read } = aCache()
  await read(consumer())

  pass(999)
  expect(await cache.recent('id')).toMatchObject({ name: 'Notify' })
  pass(1)
  expect(await cache.recent('id')).toBeUndefined()
})

test('the second of a cached consumer starts when its reading starts', async () => {
  const { cache, pass, consumer, reads } = aCache()
  const reading = cache.read('id')
  pass(1_000)
  reads[0]?.(consumer())
  await reading

  expect(await cache.recent('id')).toBeUndefined()
})

test('a cached consumer expires when either clock, monotonic or wall, has passed a second', async () => {
  const { cache, clock, consumer, read } = aCache()
  await read(consumer())
  clock.wallMs += 60_000
  expect(await cache.recent('id')).toBeUndefined()

  await read(consumer())
  clock.monotonicMs += 1_000
  clock.wallMs -= 3_600_000
  expect(await cache.recent('id')).toBeUndefined()
})

test('does not cache a consumer whose API key is being changed, and removes the cached one', async () => {
  const { cache, consumer, read, stored } = aCache()
  await read(consumer())
  stored.isApiKeyChanging = true

  expect(await read(consumer('read while it is changed'))).toMatchObject({
    name: 'read while it is changed',
  })

  expect(await cache.recent('id')).toBeUndefined()
})

test('many requests share one reading', async () => {
  const { cache, consumer, reads } = aCache()
  const first = cache.read('id')
  const shared = cache.recent('id')
  reads[0]?.(consumer())

  expect([await first, await shared]).toMatchObject([{ name: 'Notify' }, { name: 'Notify' }])
})

test('a read that finds an API key that is being changed is not shared', async () => {
  const { cache, consumer, reads, stored } = aCache()
  stored.isApiKeyChanging = true
  const first = cache.read('id')
  const shared = cache.recent('id')
  reads[0]?.(consumer())

  expect([await first, await shared]).toMatchObject([{ name: 'Notify' }, undefined])
})

test('does not share a reading that began over a second ago, or that found no consumer', async () => {
  const { cache, pass, reads, consumer } = aCache()
  const slow = cache.read('id')
  pass(1_000)
  expect(await cache.recent('id')).toBeUndefined()
  reads[0]?.(consumer())
  await slow

  const absent = cache.read('nobody')
  const shared = cache.recent('nobody')
  reads[1]?.(undefined)
  expect([await absent, await shared]).toEqual([undefined, undefined])
})

test('a failed read finds no user: the next request reads again', async () => {
  const failing = createConsumerCache({
    find: () => Promise.reject(new Error('no database')),
    now: () => new Date(0),
    monotonicMs: () => 0,
  })

  await expect(failing.read('id')).rejects.toThrow('no database')
  expect(await failing.recent('id')).toBeUndefined()
})
