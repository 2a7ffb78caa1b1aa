import { beginWork, listStuckWork } from '@despatch/telemetry/work-under-way'
import { expect, test } from 'vitest'
import { repeat, untilNext } from './repeat.ts'

const never = 3_600_000

function counter(results: ('again' | 'idle' | Error)[] = []) {
  const waiting: { count: number; resolve: () => void }[] = []
  let passes = 0
  return {
    pass: async () => {
      const result = results[passes] ?? 'idle'
      passes += 1
      for (const { count, resolve } of waiting) if (passes >= count) resolve()
      if (result instanceof Error) throw result
      return result
    },
    passes: () => passes,
    reached: (count: number) =>
      new Promise<void>((resolve) => {
        if (passes >= count) resolve()
        else waiting.push({ count, resolve })
      }),
  }
}

test('continues immediately while there is more, then pauses', async () => {
  const work = counter(['again', 'again'])
  const repeated = repeat({ name: 'test', everyMs: never, pass: work.pass, onError: () => {} })

  await work.reached(3)
  await repeated.close()

  expect(work.passes()).toBe(3)
})

test('a nudge starts the next pass, even when it comes during a pass', async () => {
  const work = counter()
  const repeated = repeat({ name: 'test', everyMs: never, pass: work.pass, onError: () => {} })
  repeated.nudge()

  await work.reached(2)
  repeated.nudge()
  await work.reached(3)
  await repeated.close()
})

test('reports a failed pass and continues', async () => {
  const errors: string[] = []
  const work = counter([new Error('database is away')])
  const repeated = repeat({
    name: 'test',
    everyMs: 1,
    pass: work.pass,
    onError: ({ message }) => errors.push(message),
  })

  await work.reached(2)
  await repeated.close()

  expect(errors).toEqual(['database is away'])
})

test('a pass is stuck when it takes too long without progress, and a pause is never stuck', async () => {
  const gate = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  const name = 'a pass that hangs'
  const repeated = repeat({
    name,
    everyMs: never,
    passMsMax: 1_000,
    pass: async () => {
      begun.resolve()
      await gate.promise
      throw new Error('its dependency is away')
    },
    onError: () => {},
  })
  await begun.promise
  const stuckAfter = (ms: number) =>
    listStuckWork(performance.now() + ms).filter((work) => work.name === name)

  expect(stuckAfter(500)).toEqual([])
  expect(stuckAfter(5_000)).toEqual([{ name, seconds: 5 }])
  gate.resolve()
  await repeated.close()

  expect(stuckAfter(5_000)).toEqual([])
})

test('a long pass is not stuck while it reports progress', async () => {
  const name = 'a long pass'
  let nowMs = 0
  const work = beginWork(name, 1_000, () => nowMs)

  nowMs = 900
  work.progressed()

  expect(listStuckWork(1_800).filter((stuck) => stuck.name === name)).toEqual([])
  expect(listStuckWork(2_000).filter((stuck) => stuck.name === name)).toEqual([
    { name, seconds: 1 },
  ])
  work.end()
})

test('aborts the pass in progress when it closes, without reporting that abort', async () => {
  const begun = Promise.withResolvers<void>()
  const errors: Error[] = []
  const repeated = repeat({
    name: 'test',
    everyMs: never,
    pass: (_progressed, closing) =>
      new Promise((_, reject) => {
        closing.addEventListener('abort', () => reject(closing.reason))
        begun.resolve()
      }),
    onError: (error) => void errors.push(error),
  })
  await begun.promise

  await repeated.close()

  expect(errors).toEqual([])
})

test.for([
  [1_000, 0, 1_000],
  [1_000, 12_300, 700],
  [1_000, 12_900, 100],
  [1_000, 12_901, 1_099],
  [10_000, 12_300, 7_700],
])(
  'with an interval of %i ms, a pause that begins at %i ms takes %i ms',
  ([everyMs, nowMs, ms]) => {
    expect(untilNext(everyMs!, nowMs!)).toBe(ms)
  },
)
