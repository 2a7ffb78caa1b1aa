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
  // more time than the work needs
  const endMs = 2_000 + 3 * tasks.reduce((sum, { lastsMs }) => sum + lastsMs, 0)
  for (let nowMs = 0; done.length < tasks.length && nowMs < endMs; nowMs += stepMs) {
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

const queueOf = (permits: number) =>
  createFairQueue<{ consumerId: string }>({ permits, sliceMs: 1_000, reservesLast: false })

/**
 * Plays steps such as `100 +a1 -b1 ~c1`: at 100 ms, work of consumer a comes, work of b ends, and work of c is put back.
 * Then it starts what may start. Returns what has started, and with `!` what was set aside.
 */
function play(permits: number, steps: string): string {
  const queue = queueOf(permits)
  const changes = { '+': queue.add, '-': queue.end, '~': queue.putBack }
  const works = new Map<string, { consumerId: string }>()
  const went: string[] = []
  for (const step of steps.split(', ')) {
    const [nowMs, ...signed] = step.split(' ')
    for (const [sign, ...name] of signed) {
      const work = works.get(name.join('')) ?? { consumerId: name[0]! }
      works.set(name.join(''), work)
      changes[sign as keyof typeof changes](work, Number(nowMs))
    }
    for (let count = 0; count < 5; count += 1) {
      const choice = queue.next(Number(nowMs))
      if (choice.kind === 'wait') break
      const [name] = [...works].find(([, work]) => work === choice.work)!
      went.push(choice.kind === 'start' ? name : `!${name}`)
    }
  }
  return went.join(' ')
}

test.each([
  [
    'work that was set aside starts again before later work, and others are set aside for more',
    2,
    '0 +a1 +a2 +a3, 500 +b1, 1000, 1000 ~a2, 1010 -a1, 1020 +c1, 2000',
    'a1 a2 !a2 b1 a2 !b1',
  ],
  ['use from before an idle time is forgotten', 1, '0 +a1, 5000 -a1, 6000 +a2 +b1', 'a1 a2'],
  [
    'a new consumer is level with the one that has used least',
    1,
    '0 +a1 +b1, 5000 -a1 +a2 +c1, 5010 -b1 +c2, 5011 -c1',
    'a1 b1 c1 c2',
  ],
  [
    'more work of a consumer that has a slot does not count twice',
    2,
    '0 +a1 +b1 +b2, 1000 +a2 -b1',
    'a1 b1 a2',
  ],
  [
    'the work that a consumer has running counts',
    2,
    '0 +a1 +c1 +b1 +b2, 400 +a2 -c1, 500 -b1',
    'a1 c1 b1 b2',
  ],
  ['work counts from its start to its end', 1, '0 +a1 +b1 +a2 +b2, 100 -a1, 190 -b1', 'a1 b1 b2'],
  ['work that has ended while it waited never starts', 1, '0 +a1 +b1 +c1, 10 -b1, 20 -a1', 'a1 c1'],
  ['work that has ended is not put back', 1, '0 +a1, 10 -a1 ~a1', 'a1'],
])('%s', (_rule, permits, steps, went) => {
  expect(play(permits, steps)).toBe(went)
})

test('work waits until it starts, and is counted for its consumer', () => {
  const queue = queueOf(1)
  const works = ['a', 'a', 'b', 'b'].map((consumerId) => ({ consumerId }))
  for (const work of works) queue.add(work, 0)
  queue.next(0)

  expect(works.map(queue.isWaiting)).toEqual([false, true, true, true])
  expect(['a', 'b', 'c'].map(queue.countWaiting)).toEqual([1, 2, 0])
})
