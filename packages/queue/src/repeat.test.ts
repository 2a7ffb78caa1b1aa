import { expect, test } from 'vitest'
import { repeat } from './repeat.ts'

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

test('goes on at once while there is more, then rests', async () => {
  const work = counter(['again', 'again'])
  const repeated = repeat({ everyMs: never, pass: work.pass, onError: () => {} })

  await work.reached(3)
  await repeated.close()

  expect(work.passes()).toBe(3)
})

test('a nudge starts the next pass, even one that comes during a pass', async () => {
  const work = counter()
  const repeated = repeat({ everyMs: never, pass: work.pass, onError: () => {} })
  repeated.nudge()

  await work.reached(2)
  repeated.nudge()
  await work.reached(3)
  await repeated.close()
})

test('reports a pass that fails and goes on', async () => {
  const errors: string[] = []
  const work = counter([new Error('database is away')])
  const repeated = repeat({
    everyMs: 1,
    pass: work.pass,
    onError: ({ message }) => errors.push(message),
  })

  await work.reached(2)
  await repeated.close()

  expect(errors).toEqual(['database is away'])
})
