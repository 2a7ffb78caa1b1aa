import { byEffort } from '@despatch/testing/effort'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { FairLimits } from './fair-choice.ts'
import { createFairQueue } from './fair-queue.ts'

type Task = { consumerId: string; arrivesMs: number; lastsMs: number }
type Done = Task & { waitedMs: number; endedMs: number; setAsides: number }

const stepMs = 10

/** Runs tasks in steps of 10 ms, and returns how each went. Work that is set aside begins again from the start. */
function simulate(tasks: readonly Task[], limits: FairLimits): Done[] {
  const queue = createFairQueue<Task>(limits)
  const startedMs = new Map<Task, number>()
  const done: Done[] = []
  const went = new Map(tasks.map((task) => [task, { waitedMs: -1, setAsides: 0 }]))
  for (let nowMs = 0; done.length < tasks.length; nowMs += stepMs) {
    for (const [task, sinceMs] of startedMs) {
      if (nowMs - sinceMs < task.lastsMs) continue
      startedMs.delete(task)
      queue.end(task, nowMs)
      done.push({ ...task, ...went.get(task)!, endedMs: nowMs })
    }
    for (const task of tasks) if (task.arrivesMs === nowMs) queue.add(task, nowMs)
    for (;;) {
      const choice = queue.next(nowMs)
      if (choice.kind === 'wait') break
      const { work } = choice
      const how = went.get(work)!
      if (choice.kind === 'start') {
        if (how.waitedMs < 0) how.waitedMs = nowMs - work.arrivesMs
        startedMs.set(work, nowMs)
      } else {
        how.setAsides += 1
        startedMs.delete(work)
        queue.putBack(work, nowMs)
      }
      expect(startedMs.size).toBeLessThanOrEqual(limits.permits)
    }
  }
  return done
}

const someTasks = fc.array(
  fc.record({
    consumerId: fc.constantFrom('a', 'b', 'c', 'd'),
    arrivesMs: fc.integer({ min: 0, max: 100 }).map((step) => step * stepMs),
    lastsMs: fc.integer({ min: 1, max: 400 }).map((step) => step * stepMs),
  }),
  { maxLength: 25 },
)
const someLimits = fc.record({
  permits: fc.integer({ min: 1, max: 4 }),
  sliceMs: fc.constantFrom(200, 1_000),
  reservesLast: fc.boolean(),
})

test('all work ends, is set aside at most once, and never if there is only one slot', () => {
  fc.assert(
    fc.property(someTasks, someLimits, (tasks, limits) => {
      const done = simulate(tasks, limits)

      expect(done).toHaveLength(tasks.length)
      const setAsidesMax = limits.permits === 1 ? 0 : 1
      for (const { setAsides } of done) expect(setAsides).toBeLessThanOrEqual(setAsidesMax)
    }),
    { numRuns: byEffort({ landing: 60, full: 300 }) },
  )
})

test('the only work of a consumer waits at most one slice, with any work of another consumer', () => {
  fc.assert(
    fc.property(someTasks, someLimits, fc.integer({ min: 0, max: 200 }), (tasks, limits, step) => {
      fc.pre(limits.permits > 1)
      const ofOne = tasks.map((task) => ({ ...task, consumerId: 'hostile' }))
      const quick = { consumerId: 'quick', arrivesMs: step * stepMs, lastsMs: 50 }

      const { waitedMs } = simulate([...ofOne, quick], limits).find(
        ({ consumerId }) => consumerId === 'quick',
      )!

      expect(waitedMs).toBeLessThanOrEqual(limits.sliceMs)
      // its long work takes all but one, and short work does not take that
      if (limits.reservesLast) expect(waitedMs).toBe(0)
    }),
    { numRuns: byEffort({ landing: 60, full: 300 }) },
  )
})

test.each([2, 3])(
  'with %i slots, endless work of many consumers does not block other work',
  (permits) => {
    const endless = Array.from({ length: 24 }, (_, index) => ({
      consumerId: `hostile ${index % 6}`,
      arrivesMs: 0,
      lastsMs: 60_000,
    }))
    const quick = { consumerId: 'quick', arrivesMs: 5_000, lastsMs: 50 }

    const done = simulate([...endless, quick], { permits, sliceMs: 1_000, reservesLast: true })

    expect(done.find(({ consumerId }) => consumerId === 'quick')!.waitedMs).toBeLessThanOrEqual(
      1_000,
    )
  },
)

test('consumers that always have work get equal time, with work of any length', () => {
  const untilMs = byEffort({ landing: 18_000, full: 60_000 })
  const always = (consumerId: string, lastsMs: number) =>
    Array.from({ length: untilMs / lastsMs }, () => ({ consumerId, arrivesMs: 0, lastsMs }))
  const limits = { permits: 1, sliceMs: 1_000, reservesLast: false }

  const done = simulate([...always('slow', 900), ...always('fast', 20), ...always('other', 100)], {
    ...limits,
  })

  const usedMs = (consumerId: string) =>
    done
      .filter((task) => task.consumerId === consumerId && task.endedMs <= untilMs)
      .reduce((sum, { lastsMs }) => sum + lastsMs, 0)
  for (const id of ['slow', 'fast', 'other'])
    expect(Math.abs(usedMs(id) - untilMs / 3)).toBeLessThan(900)
})

test('a consumer is not charged for time that no other consumer wanted', () => {
  const alone = Array.from({ length: 100 }, () => ({
    consumerId: 'alone',
    arrivesMs: 0,
    lastsMs: 100,
  }))
  const late = Array.from({ length: 50 }, () => ({
    consumerId: 'late',
    arrivesMs: 5_000,
    lastsMs: 100,
  }))
  const limits = { permits: 1, sliceMs: 1_000, reservesLast: false }

  const done = simulate([...alone, ...late], limits)

  const between = done.filter(({ endedMs }) => endedMs > 5_000 && endedMs <= 7_000)
  expect(between.filter(({ consumerId }) => consumerId === 'alone')).toHaveLength(10)
  expect(done.find(({ consumerId }) => consumerId === 'late')!.waitedMs).toBeLessThanOrEqual(100)
})

test('work that was set aside starts again before later work', () => {
  const queue = createFairQueue<{ consumerId: string }>({
    permits: 2,
    sliceMs: 1_000,
    reservesLast: false,
  })
  const [first, second, third] = [{ consumerId: 'a' }, { consumerId: 'a' }, { consumerId: 'a' }]
  for (const work of [first, second, third]) queue.add(work, 0)
  expect([queue.next(0), queue.next(0)]).toEqual([
    { kind: 'start', work: first },
    { kind: 'start', work: second },
  ])
  const other = { consumerId: 'b' }
  queue.add(other, 500)
  const setAside = queue.next(1_000)
  expect(setAside.kind).toBe('set-aside')
  const [again, stays] =
    'work' in setAside && setAside.work === first ? [first, second] : [second, first]
  queue.putBack(again, 1_000)
  expect(queue.next(1_000)).toEqual({ kind: 'start', work: other })

  queue.end(stays, 1_010)
  const next = queue.next(1_010)

  expect(next.kind === 'start' && next.work === again).toBe(true)
})

test('use from before an idle time is forgotten', () => {
  const queue = createFairQueue<{ consumerId: string }>({
    permits: 1,
    sliceMs: 1_000,
    reservesLast: false,
  })
  const earlier = { consumerId: 'a' }
  queue.add(earlier, 0)
  expect(queue.next(0)).toEqual({ kind: 'start', work: earlier })
  queue.end(earlier, 5_000)

  const work = { consumerId: 'a' }
  queue.add(work, 6_000)
  queue.add({ consumerId: 'b' }, 6_000)

  expect(queue.next(6_000)).toEqual({ kind: 'start', work })
})
