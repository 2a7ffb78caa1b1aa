import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type Admission, createOriginSlots } from './origin-slots.ts'

const options = { callsPerOriginMax: 2, callMsMax: 15_000, patienceMs: 1_000, delayMsMax: 60_000 }
const origin = 'https://a.example'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

test('admits as many calls as an origin may have, and those of other origins beside them', async () => {
  const slots = createOriginSlots(options)

  const kinds = [
    (await slots.enter(origin)).kind,
    (await slots.enter(origin)).kind,
    (await slots.enter('https://b.example')).kind,
  ]

  expect(kinds).toEqual(['admitted', 'admitted', 'admitted'])
})

test('lets callers wait for a quick origin, first come first served, and never more at once than may be', async () => {
  const slots = createOriginSlots(options)
  const first = admitted(await slots.enter(origin))
  await slots.enter(origin)
  const order: string[] = []
  void slots.enter(origin).then(({ kind }) => order.push(`third ${kind}`))
  void slots.enter(origin).then(({ kind }) => order.push(`fourth ${kind}`))

  first.leave()
  const fifth = slots.enter(origin)
  await vi.advanceTimersByTimeAsync(999)
  const orderBeforePatienceEnds = [...order]
  await vi.advanceTimersByTimeAsync(1)

  expect(orderBeforePatienceEnds).toEqual(['third admitted'])
  expect(order).toEqual(['third admitted', 'fourth busy'])
  expect((await fifth).kind).toBe('busy')
})

test('sends callers of a slow origin away at once, each for a turn longer than the last, up to a limit', async () => {
  const slots = createOriginSlots(options)
  await slots.enter(origin)
  await slots.enter(origin)
  await vi.advanceTimersByTimeAsync(1_001)

  const answers: Admission[] = []
  for (let i = 0; i < 10; i++) answers.push(await slots.enter(origin))

  expect(answers.map((answer) => answer.kind === 'busy' && answer.delayMs)).toEqual([
    7_500, 15_000, 22_500, 30_000, 37_500, 45_000, 52_500, 60_000, 60_000, 60_000,
  ])
})

test('forgets an origin that has no calls, and a slot that is left twice counts once', async () => {
  const slots = createOriginSlots({ ...options, callsPerOriginMax: 1 })
  const first = admitted(await slots.enter(origin))
  await vi.advanceTimersByTimeAsync(1_001)
  await slots.enter(origin)

  first.leave()
  const second = await slots.enter(origin)
  first.leave()
  const third = slots.enter(origin)
  await vi.advanceTimersByTimeAsync(1_000)

  expect(second.kind).toBe('admitted')
  expect(await third).toEqual({ kind: 'busy', delayMs: 15_000 })
})

function admitted(admission: Admission) {
  if (admission.kind !== 'admitted') throw new Error('expected to be admitted')
  return admission
}
