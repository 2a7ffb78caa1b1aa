import { expect, test } from 'vitest'
import { createVirtualTime } from './virtual-time.ts'

/** Accounts of consumers that have used so much. */
function accountsOf(used: Readonly<Record<string, number>>) {
  const time = createVirtualTime((usedMs) => ({ usedMs }))
  for (const [consumerId, ms] of Object.entries(used)) time.enter(consumerId).usedMs += ms
  return time
}

test('a consumer that comes, or comes back, is level with the one that has used least', () => {
  const time = accountsOf({ a: 30, b: 50, back: 10 })
  time.advance([30, 50])

  expect(time.enter('new').usedMs).toBe(30)
  expect(time.enter('back').usedMs).toBe(30)
  expect(time.enter('b').usedMs).toBe(50)
})

test('the level never falls, and stays while nobody has work', () => {
  const time = accountsOf({ a: 30 })
  time.advance([30])
  time.advance([20])
  time.advance([])

  expect(time.levelMs()).toBe(30)
})

test('after a rest all are level', () => {
  const time = accountsOf({ a: 30, b: 50 })
  time.rest()

  expect([time.enter('a').usedMs, time.enter('new').usedMs]).toEqual([50, 50])
})

test('a consumer is forgotten if it may be, and is not ahead of the level', () => {
  const time = accountsOf({ a: 30, level: 30, ahead: 31, kept: 10 })
  time.advance([30])
  time.forget((consumerId) => consumerId !== 'kept')

  expect([...time.accounts.keys()]).toEqual(['ahead', 'kept'])
})
