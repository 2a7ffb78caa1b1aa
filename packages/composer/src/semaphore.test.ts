import { AsyncLocalStorage } from 'node:async_hooks'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createSemaphore, SemaphoreFull, type SemaphoreOptions } from './semaphore.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** A semaphore, and work that lasts until it is ended or aborted. */
function someWork(options: SemaphoreOptions) {
  const semaphore = createSemaphore({ ...options, now: () => Date.now() })
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  const use = (name: string, signal?: AbortSignal) =>
    semaphore.use({ consumerId: name[0]!, work: 'test', signal }, async (ownSignal) => {
      begun.push(name)
      await new Promise<void>((resolve, reject) => {
        ends.set(name, resolve)
        ownSignal.addEventListener('abort', () => reject(ownSignal.reason))
      })
      return name
    })
  return {
    semaphore,
    begun,
    use,
    end: async (name: string) => {
      ends.get(name)!()
      await vi.advanceTimersByTimeAsync(0)
    },
  }
}

test('starts as much work as it has slots, and lets consumers take turns', async () => {
  const { begun, use, end } = someWork({ permits: 2 })
  const all = ['a1', 'a2', 'a3', 'a4', 'b1'].map((name) => use(name))

  expect(begun).toEqual(['a1', 'a2'])
  await vi.advanceTimersByTimeAsync(5)
  await end('a2')
  expect(begun).toEqual(['a1', 'a2', 'b1'])
  await end('a1')
  await end('b1')
  await end('a3')
  await end('a4')

  expect(await Promise.all(all)).toEqual(['a1', 'a2', 'a3', 'a4', 'b1'])
})

test('refuses work of a consumer with a full waiting list, and frees the slot of work that fails', async () => {
  const { semaphore } = someWork({ permits: 1, waitingMax: 1 })
  const of = (consumerId: string) => ({ consumerId, work: 'test' })
  const failing = semaphore.use(of('a'), () => Promise.reject(new Error('no')))
  const waiting = semaphore.use(of('a'), async () => 'done')

  await expect(semaphore.use(of('a'), async () => 'never')).rejects.toThrow(SemaphoreFull)
  const ofAnother = semaphore.use(of('b'), async () => 'also done')
  await expect(failing).rejects.toThrow('no')
  expect(await Promise.all([waiting, ofAnother])).toEqual(['done', 'also done'])
})

test('refuses work without a free slot when no work may wait', async () => {
  const { use, end } = someWork({ permits: 1, waitingMax: 0 })
  const first = use('a1')

  await expect(use('b1')).rejects.toThrow(SemaphoreFull)
  await end('a1')
  await first
  const next = use('b2')
  await end('b2')
  expect(await next).toBe('b2')
})

describe('a caller that leaves', () => {
  test('stops waiting, and its work never starts', async () => {
    const { begun, use, end } = someWork({ permits: 1 })
    const leaving = new AbortController()
    const first = use('a1')
    const left = expect(use('b1', leaving.signal)).rejects.toThrow('left')
    const last = use('c1')

    leaving.abort(new Error('left'))
    await left
    await end('a1')
    await end('c1')

    expect(await Promise.all([first, last])).toEqual(['a1', 'c1'])
    expect(begun).toEqual(['a1', 'c1'])
    await expect(use('b2', leaving.signal)).rejects.toThrow('left')
  })

  test('returns at once, and its slot is free when the work ends', async () => {
    const { semaphore, begun, use } = someWork({ permits: 1 })
    const leaving = new AbortController()
    const { promise: ended, resolve: end } = Promise.withResolvers<void>()
    const claim = { consumerId: 'a', work: 'test', signal: leaving.signal }
    const stubborn = expect(semaphore.use(claim, () => ended)).rejects.toThrow('left')
    void use('b1')

    leaving.abort(new Error('left'))
    await stubborn
    expect(begun).toEqual([])
    end()
    await vi.advanceTimersByTimeAsync(0)
    expect(begun).toEqual(['b1'])
  })
})

describe('long work', () => {
  test('is set aside when another consumer waits, and starts again later', async () => {
    const { begun, use, end } = someWork({ permits: 2 })
    const all = ['a1', 'a2', 'a3'].map((name) => use(name))
    await vi.advanceTimersByTimeAsync(400)
    const other = use('b1')

    await vi.advanceTimersByTimeAsync(599)
    expect(begun).toEqual(['a1', 'a2'])
    await vi.advanceTimersByTimeAsync(1)
    expect(begun).toEqual(['a1', 'a2', 'b1'])
    await end('b1')
    expect(await other).toBe('b1')
    // the third has not run yet, and the second waits for the first
    expect(begun).toEqual(['a1', 'a2', 'b1', 'a3'])
    await end('a1')
    expect(begun).toEqual(['a1', 'a2', 'b1', 'a3', 'a2'])
    await end('a2')
    await end('a3')

    expect(await Promise.all(all)).toEqual(['a1', 'a2', 'a3'])
  })

  test('does not start again if its caller leaves while it is set aside', async () => {
    const { begun, use, end } = someWork({ permits: 2 })
    const leaving = new AbortController()
    void use('a1')
    const left = expect(use('a2', leaving.signal)).rejects.toThrow('left')
    await vi.advanceTimersByTimeAsync(1_000)
    void use('b1')
    leaving.abort(new Error('left'))
    await left
    await vi.advanceTimersByTimeAsync(0)
    await end('a1')

    expect(begun).toEqual(['a1', 'a2', 'b1'])
  })
})

test('reports each wait and its outcome', async () => {
  const waits: unknown[] = []
  const { use, end } = someWork({
    permits: 1,
    waitingMax: 2,
    onWaited: (wait) => waits.push(wait),
  })
  const leaving = new AbortController()
  void use('a1')
  void use('a2')
  const left = expect(use('a3', leaving.signal)).rejects.toThrow()
  await expect(use('a4')).rejects.toThrow(SemaphoreFull)
  await vi.advanceTimersByTimeAsync(40)
  leaving.abort()
  await left
  await vi.advanceTimersByTimeAsync(60)
  await end('a1')

  expect(waits).toEqual([
    { work: 'test', outcome: 'started', ms: 0 },
    { work: 'test', outcome: 'full', ms: 0 },
    { work: 'test', outcome: 'left', ms: 40 },
    { work: 'test', outcome: 'started', ms: 100 },
  ])
})

test('runs work in the context of its caller', async () => {
  const { semaphore, use, end } = someWork({ permits: 1 })
  const callers = new AsyncLocalStorage<string>()
  void callers.run('first', () => use('a1'))
  const second = callers.run('second', () =>
    semaphore.use({ consumerId: 'b', work: 'test' }, async () => callers.getStore()),
  )

  await end('a1')

  expect(await second).toBe('second')
})
