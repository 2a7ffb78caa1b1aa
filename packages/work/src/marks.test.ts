import { expect, test } from 'vitest'
import { canaryConsumerId } from './canary-consumer.ts'
import { createMarks, type FirstRow } from './marks.ts'

const ids = ['a', 'b', 'c', 'd'].map((digit) => digit.repeat(8))
const [a, b, c] = ids as [string, string, string]
const last = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

function someMarks() {
  let nowMs = 0
  const marks = createMarks(['plain', 'slow'], { clock: () => nowMs })
  return {
    of: (consumerId: string) => marks.of('plain', consumerId),
    /** One pass of the scheduler at this time, which sees these rows first in the lane `plain`. */
    pass(atMs: number, rows: readonly Omit<FirstRow, 'lane'>[], drawn = 9, consumersMax = 10) {
      nowMs = atMs
      const plan = marks.plan(consumersMax)
      marks.note(
        rows.map((row) => ({ lane: 'plain', ...row })),
        drawn,
      )
      return {
        known: plan.known
          .filter(({ lane }) => lane === 'plain')
          .map(({ consumerId }) => consumerId),
        gaps: plan.gaps
          .filter(({ lane }) => lane === 'plain')
          .map(({ after, before }) => [after, before]),
      }
    },
  }
}

test('a consumer whose rows are seen is known, and others are looked for in the ranges between', () => {
  const { pass } = someMarks()

  expect(pass(0, [{ consumerId: b, firstSeq: 1 }])).toEqual({
    known: [canaryConsumerId],
    gaps: [[canaryConsumerId, last]],
  })
  expect(pass(1, [{ consumerId: a, firstSeq: 2 }])).toEqual({
    known: [canaryConsumerId, b],
    gaps: [
      [canaryConsumerId, b],
      [b, last],
    ],
  })
  expect(pass(2, []).known).toEqual([canaryConsumerId, a, b])
})

test('a mark is below every row that is seen, and below those that were drawn in the last five seconds', () => {
  const { pass, of } = someMarks()
  const from = (firstSeq: number) => [{ consumerId: a, firstSeq }]
  pass(0, from(1), 100)
  // 50 is not committed yet, and others with higher numbers are
  pass(4_999, from(51), 150)
  expect(of(a)).toBe(0)
  pass(5_000, from(51), 160)
  pass(9_999, from(50), 170)
  expect(of(a)).toBe(0)
  // from now on 160 counts as settled
  pass(10_000, from(50), 180)

  pass(10_001, from(50), 180)
  expect(of(a)).toBe(49)
  pass(10_002, from(170), 200)
  expect(of(a)).toBe(160)
})

test('the mark of a consumer without rows rises too', () => {
  const { pass, of } = someMarks()
  pass(0, [{ consumerId: a, firstSeq: 1 }])
  pass(5_000, [])
  pass(10_000, [])

  pass(10_001, [])

  expect(of(a)).toBe(9)
})

test('all marks are dropped every twenty seconds', () => {
  const { pass, of } = someMarks()
  pass(0, [{ consumerId: a, firstSeq: 1 }])
  for (const atMs of [5_000, 10_000, 15_000]) pass(atMs, [])
  expect(of(a)).toBe(9)

  expect(pass(20_000, []).known).toEqual([canaryConsumerId])
  expect(of(a)).toBe(0)
  pass(20_001, [{ consumerId: a, firstSeq: 1 }])
  expect(pass(39_999, []).known).toEqual([canaryConsumerId, a])
  expect(pass(40_000, []).known).toEqual([canaryConsumerId])
})

test('known consumers are read in pages, and each range in one of them', () => {
  const { pass } = someMarks()
  pass(
    0,
    [a, b, c].map((consumerId) => ({ consumerId, firstSeq: 1 })),
  )

  const pages = [pass(1, [], 9, 2), pass(2, [], 9, 2), pass(3, [], 9, 2)]

  expect(pages).toEqual([
    { known: [canaryConsumerId, a], gaps: [[canaryConsumerId, a]] },
    {
      known: [b, c],
      gaps: [
        [a, b],
        [b, c],
        [c, last],
      ],
    },
    { known: [canaryConsumerId, a], gaps: [[canaryConsumerId, a]] },
  ])
})
