import { expect, test } from 'vitest'
import { freeMs, openCheckBudget } from './check-budget.ts'

const noon = Date.parse('2026-03-01T12:00:00Z')

/** A store that processes share, and processes with a budget of 20 seconds an hour. */
function aStore() {
  const counts = new Map<string, number>()
  const clock = { atMs: noon, monotonicMs: 0, isDown: false, asked: 0 }
  const answer = (key: string, more: number) => {
    clock.asked += 1
    if (clock.isDown) return undefined
    const total = (counts.get(key) ?? 0) + more
    counts.set(key, total)
    return total
  }
  const aProcess = () =>
    openCheckBudget({
      store: {
        add: async (key, seconds) => answer(key, seconds),
        read: async (key) => answer(key, 0),
      },
      secondsPerHour: 20,
      now: () => new Date(clock.atMs),
      monotonicMs: () => clock.monotonicMs,
    })
  return { clock, aProcess }
}

test('a consumer that has used its check time waits for the next hour, and other consumers do not wait', async () => {
  const { clock, aProcess } = aStore()
  const budget = aProcess()

  budget.spend('hostile', 19_999 + freeMs)
  expect(await budget.waitSeconds('hostile')).toBeUndefined()
  budget.spend('hostile', 1 + freeMs)

  clock.atMs = noon + 1_500
  expect(await budget.waitSeconds('hostile')).toBe(3_599)
  expect(await budget.waitSeconds('another')).toBeUndefined()
  clock.atMs = noon + 3_600_000
  expect(await budget.waitSeconds('hostile')).toBeUndefined()
})

test('processes share the check time of a consumer, and each process learns the total within five seconds', async () => {
  const { clock, aProcess } = aStore()
  const [one, other] = [aProcess(), aProcess()]
  expect(await other.waitSeconds('hostile')).toBeUndefined()

  one.spend('hostile', 12_000 + freeMs)
  other.spend('hostile', 9_000 + freeMs)

  clock.monotonicMs = 4_999
  await one.waitSeconds('hostile')
  expect(await one.waitSeconds('another')).toBeUndefined()
  clock.monotonicMs = 10_000
  expect(await one.waitSeconds('hostile')).toBe(3_600)
  expect(await other.waitSeconds('hostile')).toBe(3_600)
})

test('asks the store every five seconds at most, and reports the rest at the end', async () => {
  const { clock, aProcess } = aStore()
  const [one, other] = [aProcess(), aProcess()]

  for (let check = 0; check < 100; check += 1) await one.waitSeconds('busy')
  expect(clock.asked).toBe(1)

  one.spend('busy', 4_999 + freeMs)
  expect(clock.asked).toBe(1)
  one.spend('busy', 1 + freeMs)
  expect(clock.asked).toBe(2)
  await one.waitSeconds('busy')
  one.spend('busy', 1_000 + freeMs)
  one.spend('short', 999 + freeMs)
  const before = clock.asked
  await one.close()
  expect(clock.asked).toBe(before + 1)
  other.spend('busy', 14_000 + freeMs)
  expect(await other.waitSeconds('busy')).toBe(3_600)
})

test('processes report whole seconds', async () => {
  const { aProcess } = aStore()
  const [one, other] = [aProcess(), aProcess()]
  one.spend('hostile', 12_999 + freeMs)
  await one.waitSeconds('hostile')

  other.spend('hostile', 7_999 + freeMs)

  expect(await other.waitSeconds('hostile')).toBeUndefined()
})

test('while the store does not answer, each process counts its own check time, and reports it later', async () => {
  const { clock, aProcess } = aStore()
  const [one, other] = [aProcess(), aProcess()]
  clock.isDown = true

  one.spend('hostile', 20_000 + freeMs)
  expect(await one.waitSeconds('hostile')).toBe(3_600)
  expect(await other.waitSeconds('hostile')).toBeUndefined()

  Object.assign(clock, { isDown: false, monotonicMs: 5_000 })
  await one.waitSeconds('hostile')
  expect(await other.waitSeconds('hostile')).toBe(3_600)
})

test('checks that take little time are not counted, however many there are', async () => {
  const budget = aStore().aProcess()

  for (let check = 0; check < 1_000; check += 1) budget.spend('busy', check % 2 ? freeMs : 0)

  expect(await budget.waitSeconds('busy')).toBeUndefined()
  budget.spend('busy', 20_000 + freeMs)
  expect(await budget.waitSeconds('busy')).toBe(3_600)
})
