import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { createGroupLookup } from './group-lookup.ts'

// what fails here mostly never ends
vi.setConfig({ testTimeout: 5_000 })

/** A lookup whose queries end when the test says so. `there` holds the values to find, by key. */
function aLookup({ keysMax = 10, lookupsMax = 1 } = {}) {
  const there = new Map([
    ['a', 1],
    ['b', 2],
    ['c', 3],
    ['d', 4],
  ])
  const groups: { keys: readonly string[]; end: (error?: Error) => void }[] = []
  const lookUp = createGroupLookup<number>({
    find: (keys) => {
      const { promise, resolve, reject } = Promise.withResolvers<typeof there>()
      groups.push({ keys, end: (error) => (error ? reject(error) : resolve(there)) })
      return promise
    },
    keysMax,
    lookupsMax,
  })
  const keys = () => groups.map((group) => group.keys)
  const began = (count: number) => expect.poll(() => groups.length, { interval: 1 }).toBe(count)
  return { lookUp, groups, keys, began }
}

test('keys of one turn share a lookup, and each gets its own value', async () => {
  const { lookUp, groups, keys, began } = aLookup()

  const asked = Promise.all(['a', 'b', 'nothing', 'a'].map(lookUp))
  await began(1)
  groups[0]?.end()

  expect(await asked).toEqual([1, 2, undefined, 1])
  expect(keys()).toEqual([['a', 'b', 'nothing', 'a']])
})

test('keys that arrive while all lookups are busy share the next lookup', async () => {
  const { lookUp, groups, keys, began } = aLookup()
  const first = lookUp('a')
  await began(1)

  const next = Promise.all(['b', 'c'].map(lookUp))
  groups[0]?.end()
  await began(2)
  groups[1]?.end()

  expect(await first).toBe(1)
  expect(await next).toEqual([2, 3])
  expect(keys()).toEqual([['a'], ['b', 'c']])
})

test('limits the keys of a lookup and the number of concurrent lookups', async () => {
  const { lookUp, groups, keys, began } = aLookup({ keysMax: 1, lookupsMax: 2 })

  const asked = [lookUp('a'), lookUp('b'), lookUp('c')]
  await began(2)
  expect(keys()).toEqual([['a'], ['b']])
  groups[1]?.end()
  await began(3)
  groups[0]?.end()
  groups[2]?.end()

  expect(await Promise.all(asked)).toEqual([1, 2, 3])
})

test('a failed lookup fails only for the callers that share the lookup', async () => {
  const { lookUp, groups, began } = aLookup()
  const failing = Promise.allSettled(['a', 'b'].map(lookUp))
  await began(1)
  const next = lookUp('c')

  groups[0]?.end(new Error('no database'))
  await began(2)
  groups[1]?.end()

  const reason = new Error('no database')
  expect(await failing).toEqual([
    { status: 'rejected', reason },
    { status: 'rejected', reason },
  ])
  expect(await next).toBe(3)
})

test('starts again after a pause', async () => {
  const { lookUp, groups, began } = aLookup()
  const first = lookUp('a')
  await began(1)
  groups[0]?.end()
  await first
  await nextTurn()

  const second = lookUp('b')
  await began(2)
  groups[1]?.end()

  expect(await second).toBe(2)
})
