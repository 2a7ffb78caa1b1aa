import type { UsageWindow } from '@despatch/domain/access/usage'
import { expect, test } from 'vitest'
import { createUsageDecider } from './usage-decision.ts'

const second: UsageWindow = { name: 'second', requests: 2, seconds: 1 }
const burst: UsageWindow = { name: 'burst', requests: 1, seconds: 60 }
const day: UsageWindow = { name: 'day', requests: 10, seconds: 86_400 }
const kibibytes: UsageWindow = { name: 'bytes', requests: 4, seconds: 86_400, unit: 'kibibytes' }

/** Decides at a time that the test moves, with a store that knows of no other process. */
function aDecider(overall?: UsageWindow) {
  const clock = { nowMs: 1_000_000 }
  const totals = new Map<string, number>()
  let asked = 0
  const { decide, report } = createUsageDecider({
    service: 'print-request',
    add: async (key, requests) => {
      asked += 1
      totals.set(key, (totals.get(key) ?? 0) + requests)
      return totals.get(key)!
    },
    overall,
    nowMs: () => clock.nowMs,
  })
  const ask = async (subject: string, windows: readonly UsageWindow[], bodyBytes?: number) => {
    const { refusal, left } = await decide(subject, windows, bodyBytes)
    const leftOf = (name: string) => left.find((window) => window.name === name)?.requests
    return { refused: refusal?.reason, leftOf }
  }
  return { clock, decide, ask, report, askedOfStore: () => asked }
}

const restOfDay = 86_400 - 1_000
const all: UsageWindow = { name: 'overall', requests: 3, seconds: 1 }

test.each<[string, UsageWindow[], UsageWindow | undefined, detail: string, seconds: number]>([
  ['rate', [second], undefined, 'the limit is 2 per second', 1],
  ['rate', [second, burst], undefined, 'the limit is 2 per second and 1 more per minute', 1],
  ['day', [day], undefined, 'the limit is 10 per day (UTC)', restOfDay],
  [
    'bytes',
    [kibibytes],
    undefined,
    'the limit is 4 KiB of request bodies per day (UTC)',
    restOfDay,
  ],
  ['overall', [], all, 'the service receives more requests from all callers than it accepts', 1],
])(
  'a refusal by %s of %j says the limit, and when it is over',
  async (reason, windows, overall, ...rest) => {
    const [detail, retryAfterSeconds] = rest
    const { decide } = aDecider(overall)

    let decision = await decide('one', windows, 1_000)
    for (let request = 1; !decision.refusal && request <= 10; request += 1) {
      decision = await decide('one', windows, 1_000)
    }

    const message = `Too many requests: ${detail}`
    const problem = expect.objectContaining({ kind: 'too-many-requests', message })
    expect(decision.refusal).toEqual({ reason, problem, retryAfterSeconds })
  },
)

test('a decision says what is left of each window, by its present limit', async () => {
  const { clock, decide } = aDecider()
  clock.nowMs += 400
  await decide('one', [day])

  const { left, refusal } = await decide('one', [second, { ...day, requests: 8 }, kibibytes], 1_025)

  expect(left).toEqual([
    { name: 'second', requests: 1, seconds: 1 },
    { name: 'day', requests: 6, seconds: restOfDay },
    { name: 'bytes', requests: 2, seconds: restOfDay, unit: 'kibibytes' },
  ])
  expect(refusal).toBeUndefined()
})

test('a request that nothing limits is decided at once', () => {
  expect(aDecider().decide('one', [])).toEqual({ windows: [], left: [] })
})

test('a request that the overall limit refuses is not counted in the day', async () => {
  const { ask, clock } = aDecider({ name: 'overall', requests: 1, seconds: 1 })
  expect((await ask('one', [day])).refused).toBeUndefined()
  for (let request = 0; request < 5; request += 1) {
    expect((await ask('other', [day])).refused).toBe('overall')
  }

  clock.nowMs += 1_000
  const next = await ask('other', [day])

  expect(next.refused).toBeUndefined()
  expect(next.leftOf('day')).toBe(9)
})

test('a request that the second and the burst refuse is counted neither overall nor in the day', async () => {
  const { ask, clock } = aDecider({ name: 'overall', requests: 4, seconds: 60 })
  const windows = [second, burst, day]
  const refused = []
  for (let request = 0; request < 6; request += 1) {
    refused.push((await ask('one', windows)).refused)
  }
  expect(refused).toEqual([undefined, undefined, undefined, 'rate', 'rate', 'rate'])

  clock.nowMs += 1_000
  const next = await ask('one', windows)

  expect(next.refused).toBeUndefined()
  expect(next.leftOf('day')).toBe(6)
})

test('a request that the day refuses counts in no other window', async () => {
  const { ask } = aDecider()
  const short = { ...day, requests: 1 }
  expect((await ask('one', [second, burst, short])).refused).toBeUndefined()
  for (let request = 0; request < 3; request += 1) {
    expect((await ask('one', [second, burst, short])).refused).toBe('day')
  }

  expect((await ask('one', [second, burst])).leftOf('second')).toBe(0)
})

test('the body that reaches the limit of bytes is let through, and the next one is not', async () => {
  const { ask } = aDecider()
  expect((await ask('one', [kibibytes], 3 * 1024)).refused).toBeUndefined()
  expect((await ask('one', [kibibytes], 9 * 1024)).refused).toBeUndefined()
  expect((await ask('one', [kibibytes], 1)).refused).toBe('bytes')
  expect((await ask('one', [kibibytes], 0)).refused).toBeUndefined()
})

test('a count that the store has is not reported again', async () => {
  const { ask, report, askedOfStore } = aDecider()
  const long = { ...day, requests: 100_000 }
  await ask('one', [long])
  await ask('one', [long])
  const before = askedOfStore()

  await report('day')
  expect(askedOfStore()).toBe(before + 1)

  await report('day')
  expect(askedOfStore()).toBe(before + 1)
})
