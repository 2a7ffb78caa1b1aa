import type { TakenCallback } from '@despatch/store/callback/lease'
import { expect, test } from 'vitest'
import { createTurns } from './turns.ts'

const callback = (id: string, batch = 'turn', atOnce = 2, consumerId = 'one') =>
  ({ id, batch, atOnce, consumerId }) as TakenCallback
const idsOf = (callbacks: readonly TakenCallback[]) => callbacks.map(({ id }) => id)

/** A turn of ten callbacks, two at once, on a clock of the test. */
function aTurn() {
  const clock = { ms: 500 }
  const turns = createTurns({ now: () => clock.ms })
  const callbacks = Array.from({ length: 10 }, (_, index) => callback(`${index}`))
  const answer = (index: number, isFailure = false) =>
    idsOf(turns.answered(callbacks[index]!, isFailure))
  const end = (index: number, isFailure = false) => {
    const next = answer(index, isFailure)
    turns.recorded(callbacks[index]!)
    return next
  }
  return { clock, turns, callbacks, answer, end, first: idsOf(turns.begin(callbacks, 500)) }
}

test('a call that ends makes room for the next of its turn, and a slot is taken until the turn has none', () => {
  const { turns, first, end } = aTurn()

  expect(first).toEqual(['0', '1'])
  expect(turns.ended()).toEqual({ batches: [], kept: [] })
  for (let index = 0; index < 8; index++) {
    expect(end(index)).toEqual([`${index + 2}`])
    expect([turns.slots(), turns.open(), turns.ofConsumers.get('one')]).toEqual([2, 2, 2])
  }
  expect(end(8)).toEqual([])
  expect(turns.slots()).toBe(1)
  expect(end(9)).toEqual([])

  expect([turns.slots(), turns.open(), turns.ofConsumers.size]).toEqual([0, 0, 0])
  expect(turns.ended()).toEqual({ batches: ['turn'], kept: [] })
  turns.changed(turns.ended())
  expect(turns.ended()).toEqual({ batches: [], kept: [] })
})

test('the next callback is called before the outcome of the last is recorded', () => {
  const { turns, answer } = aTurn()

  expect([answer(0), answer(1)]).toEqual([['2'], ['3']])

  expect([turns.slots(), turns.open()]).toEqual([2, 4])
})

type ATurn = ReturnType<typeof aTurn>

test.each([
  ['its time is over', ({ clock }: ATurn) => void Object.assign(clock, { ms: 1_501 })],
  ['the process stops', ({ turns }: ATurn) => turns.stop()],
])('a turn calls no more once %s, and gives the rest back', (_, stop) => {
  const turn = aTurn()
  const { turns, callbacks, end } = turn
  stop(turn)

  expect(turns.ended()).toEqual({
    batches: [],
    kept: [{ batch: 'turn', callbacks: callbacks.slice(0, 2) }],
  })
  turns.changed(turns.ended())
  expect(turns.ended()).toEqual({ batches: [], kept: [] })
  expect([end(0), end(1)]).toEqual([[], []])
  expect(turns.ended()).toEqual({ batches: ['turn'], kept: [] })
})

test('a turn calls others for a second', () => {
  const { clock, end } = aTurn()

  clock.ms = 1_500
  expect(end(0)).toEqual(['2'])
  clock.ms = 1_501
  expect(end(1)).toEqual([])
})

test('a short turn is shortened only by what it has not called', () => {
  const turns = createTurns({ now: () => 0 })
  const [one, two] = ['one', 'two'].map((batch) =>
    Array.from({ length: 3 }, (_, index) => callback(`${index}`, batch)),
  ) as [TakenCallback[], TakenCallback[]]
  turns.begin([...one, ...two], 0)
  for (const ended of [one[0]!, one[1]!]) {
    turns.answered(ended, false)
    turns.recorded(ended)
  }
  expect(turns.ended()).toEqual({ batches: [], kept: [] })

  turns.stop()
  const ended = turns.ended()
  expect(ended).toEqual({ batches: [], kept: [{ batch: 'two', callbacks: two.slice(0, 2) }] })
  turns.lost(two[0]!)
  turns.changed(ended)
})

test('a turn calls no more after ten failures in a row', () => {
  const turns = createTurns({ now: () => 0 })
  const callbacks = Array.from({ length: 30 }, (_, index) => callback(`${index}`, 'turn', 1))
  let next = turns.begin(callbacks, 0)
  const ended: string[] = []
  while (next.length > 0) {
    const [call] = next
    ended.push(call!.id)
    next = turns.answered(call!, ended.length !== 3)
    turns.recorded(call!)
  }

  expect(ended).toHaveLength(13)
  expect(turns.slots()).toBe(0)
  expect(turns.ended()).toEqual({ batches: ['turn'], kept: [] })
})

test('a turn whose outcome is not recorded is left to expire, with its other calls', () => {
  const { turns, callbacks, answer } = aTurn()
  answer(0)

  turns.lost(callbacks[0]!)

  expect(answer(1)).toEqual([])
  turns.recorded(callbacks[1]!)
  expect(turns.ended()).toEqual({ batches: [], kept: [] })
  expect(turns.open()).toBe(1)
})

test('a turn that may have been taken without an answer is given back', () => {
  const turns = createTurns({ now: () => 0 })
  const [begun, unanswered] = [turns.newBatch(), turns.newBatch()]

  turns.begin([callback('0', begun)], 0)

  expect(turns.ended()).toEqual({ batches: [unanswered], kept: [] })
  turns.changed(turns.ended())
  expect(turns.ended()).toEqual({ batches: [], kept: [] })
})

test('a long turn with a few open calls is shortened', () => {
  const turns = createTurns({ now: () => 0 })
  const callbacks = Array.from({ length: 4 }, (_, index) => callback(`${index}`, 'turn', 4))
  turns.begin(callbacks, 0)
  const end = (index: number) => {
    turns.answered(callbacks[index]!, false)
    turns.recorded(callbacks[index]!)
  }
  end(0)
  expect(turns.ended()).toEqual({ batches: [], kept: [] })
  end(1)

  expect(turns.ended()).toEqual({
    batches: [],
    kept: [{ batch: 'turn', callbacks: callbacks.slice(2) }],
  })
})
