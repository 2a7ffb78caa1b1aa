import { expect, test } from 'vitest'
import { createTimeShare } from './time-share.ts'

function aTimeShare() {
  let nowMs = 1_000
  const { begin } = createTimeShare(() => nowMs)
  const pass = (ms: number) => {
    nowMs += ms
  }
  return { begin, pass }
}

test('a single task is charged all of the time', () => {
  const { begin, pass } = aTimeShare()
  pass(500)
  const end = begin()
  pass(40)

  expect(end()).toBe(40)
})

test('concurrent tasks are charged equal shares, which add up to the time', () => {
  const { begin, pass } = aTimeShare()
  const ends = [begin()]
  pass(10)
  ends.push(begin())
  pass(20)
  ends.push(begin())
  pass(30)

  const parts = ends.map((end) => end())

  expect(parts).toEqual([10 + 10 + 10, 10 + 10, 10])
})

test('no task is charged for time before or after it', () => {
  const { begin, pass } = aTimeShare()
  const endFirst = begin()
  pass(10)
  endFirst()
  pass(1_000)
  const endSecond = begin()
  pass(5)
  const endThird = begin()
  expect(endThird()).toBe(0)
  pass(5)

  expect(endSecond()).toBe(10)
})
