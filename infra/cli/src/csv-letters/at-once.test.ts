import { expect, test } from 'vitest'
import { eachAtOnce } from './at-once.ts'

async function* count(to: number) {
  for (let number = 1; number <= to; number += 1) yield number
}

test('works on each item once, and on no more at once than it may', async () => {
  const done: number[] = []
  let [current, most] = [0, 0]

  await eachAtOnce(count(20), 3, async (number) => {
    current += 1
    most = Math.max(most, current)
    await new Promise(setImmediate)
    current -= 1
    done.push(number)
  })

  expect(done.toSorted((one, other) => one - other)).toEqual(
    Array.from({ length: 20 }, (_, at) => at + 1),
  )
  expect(most).toBe(3)
})

test('after an error it finishes what it has begun, takes nothing else, and throws the error', async () => {
  const begun: number[] = []
  const finished: number[] = []
  const failing = eachAtOnce(count(20), 3, async (number) => {
    begun.push(number)
    if (number === 2) throw new Error('two')
    await new Promise(setImmediate)
    finished.push(number)
  })

  await expect(failing).rejects.toThrow('two')
  expect(begun).toEqual([1, 2, 3])
  expect(finished).toEqual([1, 3])
})
