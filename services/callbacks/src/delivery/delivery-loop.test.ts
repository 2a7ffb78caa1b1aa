import type { EndedTurns } from '@despatch/store/callback/end-turns'
import type { TakenCallback } from '@despatch/store/callback/lease'
import type { Take } from '@despatch/store/callback/take'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { checkDeliveryLoop, type DeliveryLoopOptions, startDeliveryLoop } from './delivery-loop.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const nothing: Extract<Take, { kind: 'taken' }> = {
  kind: 'taken',
  callbacks: [],
  originAfter: undefined,
  dueUntil: undefined,
  isMore: false,
  nextDueAt: null,
}

/** A loop whose table returns what the test says, and whose deliveries end when the test says. */
function aLoop(given: Partial<DeliveryLoopOptions> & { takes?: (Take | Error)[] } = {}) {
  const { takes = [], ...options } = given
  const asked: (Parameters<DeliveryLoopOptions['take']>[0] & { atMs: number })[] = []
  const errors: string[] = []
  const givenBack: EndedTurns[] = []
  const delivering = new Map<string, PromiseWithResolvers<void>>()
  const startedAt = performance.now()
  const loop = startDeliveryLoop({
    take: async (wanted) => {
      asked.push({ atMs: performance.now() - startedAt, ...wanted })
      const take = takes.shift() ?? nothing
      if (take instanceof Error) throw take
      return take
    },
    endTurns: async (ended) => void givenBack.push(ended),
    deliver: (callback) => {
      const delivery = Promise.withResolvers<void>()
      delivering.set(callback.id, delivery)
      return delivery.promise
    },
    concurrency: 8,
    pollMs: 500,
    restMs: () => 500,
    leaseMs: 20_000,
    onError: (error) => void errors.push(error.message),
    random: () => 0,
    ...options,
  })
  const end = async (...ids: string[]) => {
    for (const id of ids) delivering.get(id)!.resolve()
    await vi.advanceTimersByTimeAsync(0)
  }
  return { loop, asked, errors, givenBack, delivering, end, passTime: vi.advanceTimersByTimeAsync }
}

function taken(ids: readonly string[], more: Partial<Extract<Take, { kind: 'taken' }>> = {}): Take {
  return {
    ...nothing,
    callbacks: ids.map(
      (id) => ({ id, consumerId: 'one', batch: `turn of ${id}`, atOnce: 1 }) as TakenCallback,
    ),
    ...more,
  }
}

const times = (asked: { atMs: number }[]) => asked.map(({ atMs }) => atMs)

test('looks less often while nothing is owed and no call is under way', async () => {
  const { asked, end, passTime } = aLoop({
    restMs: () => 1_000,
    takes: [taken(['a']), taken([], { nextDueAt: new Date(Date.now() + 60_000) })],
  })
  await passTime(1_000)
  await end('a')
  await passTime(2_500)

  expect(times(asked)).toEqual([0, 500, 1_000, 1_005, 2_005, 3_005])
})

test('looks first when it polls, and takes at once after one or many nudges or while there is more', async () => {
  const { loop, asked, passTime } = aLoop({
    takes: [nothing, nothing, taken([], { isMore: true })],
  })

  await passTime(500)
  for (let i = 0; i < 50; i++) loop.wake()
  await passTime(100)

  const looked = asked.map(({ atMs, looksFirst }) => [atMs, looksFirst])
  expect(looked).toEqual([
    [0, false],
    [500, true],
    [505, false],
    [510, false],
  ])
})

test('a nudge during a pass causes another pass', async () => {
  const answer = Promise.withResolvers<Take>()
  let passes = 0
  const { loop, passTime } = aLoop({
    take: async () => {
      passes += 1
      return passes === 1 ? answer.promise : nothing
    },
  })

  await passTime(0)
  loop.wake()
  answer.resolve(nothing)
  await passTime(10)

  expect(passes).toBe(2)
})

test('takes again when the next callback is due', async () => {
  const nextDueAt = new Date(Date.now() + 120)
  const { asked, passTime } = aLoop({ takes: [{ ...nothing, nextDueAt }] })

  await passTime(200)

  expect(times(asked)).toEqual([0, 120])
})

test('a wrong clock, or a callback that its origin delays, does not cause a busy loop', async () => {
  const nextDueAt = new Date(Date.now() - 60_000)
  const takes = Array.from({ length: 100 }, () => ({ ...nothing, nextDueAt }))
  const { asked, passTime } = aLoop({ takes })

  await passTime(190)

  expect(times(asked)).toEqual([0, 50, 100, 150])
})

test('pauses after a walk through origins that are all delayed', async () => {
  const nextDueAt = new Date(Date.now() - 1_000)
  const takes = Array.from({ length: 100 }, () => ({ ...nothing, isMore: true, nextDueAt }))
  const { asked, passTime } = aLoop({ takes })

  await passTime(100)

  expect(times(asked)).toEqual([0, 5, 10, 15, 20, 25, 30, 35, 40, 45, 95, 100])
})

test('starts the callbacks that it took, and continues where the previous pass ended', async () => {
  const { asked, delivering, passTime } = aLoop({
    takes: [taken(['1', '2'], { originAfter: 'https://b.example', dueUntil: new Date(7) })],
  })

  await passTime(500)

  expect([...delivering.keys()]).toEqual(['1', '2'])
  expect(asked).toMatchObject([
    { atMs: 0, free: 8, originAfter: undefined, looksFirst: false },
    { atMs: 500, free: 6, originAfter: 'https://b.example', looksFirst: true },
  ])
})

test('looks at newly due callbacks in every second pass, from where it looked last', async () => {
  const { asked, passTime } = aLoop({
    takes: [taken([], { dueUntil: new Date(7) }), nothing, taken([], { dueUntil: new Date(9) })],
  })

  await passTime(2_000)

  const looked = asked.map(({ dueAfter }) => dueAfter?.getTime())
  expect(looked).toEqual([0, undefined, 7, undefined, 9])
})

test('says how many calls of each consumer are under way', async () => {
  const { loop, asked, end, passTime } = aLoop({ takes: [taken(['1', '2'])] })
  await passTime(100)
  const seen = () => [...asked.at(-1)!.underWay]

  loop.wake()
  await passTime(0)
  expect(seen()).toEqual([['one', 2]])

  await end('1')
  expect(seen()).toEqual([['one', 1]])
  await passTime(10)
  await end('2')
  await passTime(10)
  expect(seen()).toEqual([])
})

test('stays within its limit of calls, and takes again when a call ends', async () => {
  const all = ['1', '2', '3', '4', '5', '6', '7', '8']
  const { asked, end, passTime } = aLoop({ takes: [taken(all, { isMore: true })] })
  await passTime(10_000)
  expect(times(asked)).toEqual([0])

  await end('1')

  expect(asked.at(-1)).toMatchObject({ atMs: 10_000, free: 1, looksFirst: false })
})

test('takes when a quarter of the slots is free, or 10 ms after a call ended while others are under way', async () => {
  const all = ['1', '2', '3', '4', '5', '6', '7', '8']
  const { asked, end, passTime } = aLoop({
    takes: [taken(all, { isMore: true }), taken(['9'], { isMore: true })],
  })

  await passTime(1)
  await end('1')
  expect(times(asked)).toEqual([0])
  await end('2')
  expect(times(asked)).toEqual([0, 1])
  await end('3')
  await passTime(9)
  expect(times(asked)).toEqual([0, 1])
  await passTime(1)
  expect(times(asked)).toEqual([0, 1, 11])
})

test('takes 5 ms after the last pass if a nudge arrives, although calls are under way', async () => {
  const { loop, asked, end, passTime } = aLoop({ takes: [taken(['1', '2', '3'])] })
  await passTime(1)
  await end('1')

  loop.wake()
  await passTime(4)

  expect(times(asked)).toEqual([0, 5])
})

test('tries again within 5 to 20 ms while another process takes', async () => {
  const busy: Take = { kind: 'busy' }
  const { loop, asked, passTime } = aLoop({ takes: [busy, busy], random: () => 1 })

  await passTime(1)
  loop.wake()
  await passTime(40)

  expect(times(asked)).toEqual([0, 20, 40])
})

test('backs off up to 5 s while the database is unavailable, and reports that', async () => {
  const away = Array.from({ length: 12 }, () => new Error('away'))
  const { asked, errors, passTime, loop } = aLoop({ takes: away, random: () => 1 })
  const before = loop.lastPassAt()

  await passTime(22_000)

  expect(times(asked).slice(0, 5)).toEqual([0, 100, 300, 700, 1_500])
  expect(asked.length).toBe(10)
  expect(errors).toEqual(Array.from({ length: 10 }, () => 'away'))
  expect(loop.lastPassAt()).toEqual(before)
})

test('a failed delivery is reported, and its slot is free again', async () => {
  const { asked, errors, passTime } = aLoop({
    takes: [taken(['1'])],
    deliver: () => Promise.reject(new Error('no lease')),
  })

  await passTime(5)

  expect(errors).toEqual(['no lease'])
  expect(asked.at(-1)).toMatchObject({ free: 8 })
})

test('takes nothing after it closes, and waits for calls in progress', async () => {
  const { loop, asked, end, passTime } = aLoop({ takes: [taken(['1', '2'])] })
  await passTime(0)
  let isClosed = false

  const closed = loop.close().then(() => {
    isClosed = true
  })
  await end('1')
  await passTime(5_000)
  expect(isClosed).toBe(false)
  await end('2')

  expect(isClosed).toBe(true)
  expect(asked).toHaveLength(1)
  await closed
})

test('calls others of a turn as its calls end, and gives the rest back when it closes', async () => {
  const turn = ['1', '2', '3', '4'].map(
    (id) => ({ id, consumerId: 'one', batch: 'turn', atOnce: 2 }) as TakenCallback,
  )
  const { loop, asked, givenBack, delivering, end, passTime } = aLoop({
    takes: [{ ...nothing, callbacks: turn }],
  })
  await passTime(0)
  await end('1')
  await passTime(100)
  expect([...delivering.keys()]).toEqual(['1', '2', '3'])
  // the turn has no slot to spare
  expect(asked).toHaveLength(1)

  const closed = loop.close()
  await passTime(0)
  const underWay = turn.slice(1, 3)
  expect(givenBack).toEqual([{ batches: [], kept: [{ batch: 'turn', callbacks: underWay }] }])
  await end('2', '3')
  await closed

  expect([...delivering.keys()]).toEqual(['1', '2', '3'])
  expect(givenBack.at(-1)).toEqual({ batches: ['turn'], kept: [] })
})

test('waits no longer than a lease when it closes', async () => {
  const { loop, passTime } = aLoop({ takes: [taken(['1'])] })
  await passTime(0)

  const closed = loop.close()
  await passTime(20_000)

  await closed
})

test('closes while it waits for a free slot', async () => {
  const { loop, end, passTime } = aLoop({ concurrency: 1, takes: [taken(['1'])] })
  await passTime(100)

  const closed = loop.close()
  await end('1')

  await closed
})

const passes: [time: string, check: object][] = [
  ['09:59:59', { name: 'delivery', ok: true }],
  ['09:59:30', { name: 'delivery', ok: true }],
  ['09:59:29', { name: 'delivery', ok: false, reason: 'no successful pass for 31 s' }],
]

test.for(passes)('at 10:00, with the last pass at %s, the check is %j', ([time, check]) => {
  const lastPassAt = () => new Date(`2026-03-02T${time}Z`)

  expect(checkDeliveryLoop({ lastPassAt }, new Date('2026-03-02T10:00:00Z'))).toEqual(check)
})
