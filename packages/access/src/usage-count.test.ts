import { expect, test } from 'vitest'
import { type AddToStore, openCount, requestsLeft, takeAmount, takeOne } from './usage-count.ts'

/** A store that keeps counts, answers when the test lets it, and can be unavailable. */
function aStore() {
  const totals = new Map<string, number>()
  const store = { totals, adds: 0, isAway: false, add: undefined as unknown as AddToStore }
  store.add = async (key, requests) => {
    store.adds += 1
    if (store.isAway) return undefined
    const total = (totals.get(key) ?? 0) + requests
    totals.set(key, total)
    return total
  }
  return store
}

const second = (requests: number) => ({ name: 'second', requests, seconds: 1 })

async function takeMany(count: ReturnType<typeof openCount>, add: AddToStore, times: number) {
  const taken = await Promise.all(Array.from({ length: times }, () => takeOne(count, add)))
  return taken.filter(Boolean).length
}

test.each([1, 7, 19, 20, 100, 1_000])(
  'lets exactly %i requests through when twice as many come at once',
  async (requests) => {
    const store = aStore()
    const count = openCount('a', second(requests), 0)

    expect(await takeMany(count, store.add, requests * 2)).toBe(requests)
    expect(takeOne(count, store.add)).toBe(false)
    expect(requestsLeft(count)).toBe(0)
  },
)

test('decides the first few requests without asking the store', () => {
  const store = aStore()
  const count = openCount('a', second(100), 0)

  const taken = Array.from({ length: 3 }, () => takeOne(count, store.add))

  expect(taken).toEqual([true, true, true])
  expect(store.adds).toBe(0)
  expect(requestsLeft(count)).toBe(97)
})

test('asks the store few times for many requests', async () => {
  const store = aStore()
  const count = openCount('a', second(100_000), 0)

  for (let i = 0; i < 10_000; i++) {
    expect(await takeOne(count, store.add)).toBe(true)
  }

  expect(store.adds).toBeLessThanOrEqual(4)
})

test('asks the store at the first request of a long window, whose total may already be high', async () => {
  const store = aStore()
  const day = { name: 'day', requests: 1_000, seconds: 86_400 }
  store.totals.set('a day 0', 1_000)
  const count = openCount('a', day, 0)

  expect(await takeMany(count, store.add, 1)).toBe(1)
  await expect.poll(() => requestsLeft(count)).toBe(0)
})

test('two processes let through at most a block each beyond the limit', async () => {
  const store = aStore()
  const [one, other] = [openCount('a', second(100), 0), openCount('a', second(100), 0)]
  let taken = 0

  for (let i = 0; i < 150; i++) {
    if (await takeOne(i % 2 === 0 ? one : other, store.add)) taken += 1
  }

  expect(taken).toBeGreaterThanOrEqual(100)
  expect(taken).toBeLessThanOrEqual(110)
})

test('keeps the limit alone while the store is unavailable, and reports its count afterwards', async () => {
  const store = aStore()
  store.isAway = true
  const count = openCount('a', second(100), 0)

  const alone = await takeMany(count, store.add, 60)
  store.isAway = false
  const together = await takeMany(count, store.add, 60)

  expect({ alone, together }).toEqual({ alone: 60, together: 40 })
  expect(store.totals.get('a second 0')).toBeGreaterThanOrEqual(100)
})

test('lets amounts through until the limit is reached, and reports them to the store', async () => {
  const store = aStore()
  const count = openCount('a', { name: 'bytes', requests: 100, seconds: 86_400 }, 0)

  const taken = [60, 60, 1].map((amount) => takeAmount(count, store.add, amount))

  expect(taken).toEqual([true, true, false])
  expect(requestsLeft(count)).toBe(0)
  await expect.poll(() => store.totals.get('a bytes 0')).toBeGreaterThanOrEqual(60)
})

test('amounts of other processes count once the store has returned them', async () => {
  const store = aStore()
  store.totals.set('a bytes 0', 100)
  const count = openCount('a', { name: 'bytes', requests: 100, seconds: 86_400 }, 0)

  expect(takeAmount(count, store.add, 1)).toBe(true)
  await expect.poll(() => requestsLeft(count)).toBe(0)
})
