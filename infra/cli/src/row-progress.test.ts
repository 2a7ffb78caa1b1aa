import { expect, test } from 'vitest'
import { paceOf, showRows } from './row-progress.ts'

const halfway = {
  rows: 5_000,
  rejected: 2,
  done: 500,
  total: 1_000,
  rowsBefore: 0,
  elapsedMs: 10_000,
}

test.for<[what: string, measured: Partial<typeof halfway>, pace: ReturnType<typeof paceOf>]>([
  ['halfway', {}, { rowsPerSecond: 500, percent: 50, left: '10 s' }],
  ['going on from a row', { rowsBefore: 4_000 }, { rowsPerSecond: 100, percent: 50, left: '50 s' }],
  ['long', { elapsedMs: 100_000 }, { rowsPerSecond: 50, percent: 50, left: '1 min 40 s' }],
  ['nothing yet', { rows: 0, done: 0 }, { rowsPerSecond: 0, percent: 0, left: '…' }],
  ['over what is known', { rowsBefore: 9_000 }, { rowsPerSecond: 0, percent: 50, left: '…' }],
  ['the end', { done: 1_000 }, { rowsPerSecond: 500, percent: 100, left: '0 s' }],
  [
    'an empty source',
    { rows: 0, done: 0, total: 0 },
    { rowsPerSecond: 0, percent: 100, left: '…' },
  ],
])('%s', ([, measured, pace]) => {
  expect(paceOf({ ...halfway, ...measured })).toEqual(pace)
})

test('without a terminal a line is written every ten seconds, and none with --quiet', async () => {
  const lines: string[] = []
  let at = 0
  const options = {
    canDraw: false,
    total: 1_000,
    rowsBefore: 0,
    note: (line: string) => void lines.push(line),
    now: () => at,
  }
  const loud = await showRows({ ...options, isQuiet: false })
  const quiet = await showRows({ ...options, isQuiet: true })

  for (at = 1_000; at <= 25_000; at += 1_000) {
    loud.show({ rows: at, rejected: 1, done: at / 50 })
    quiet.show({ rows: at, rejected: 1, done: at / 50 })
  }

  expect(lines).toEqual([
    '20% | 10,000 rows | 1,000 rows/s | 1 rejected | 40 s left',
    '40% | 20,000 rows | 1,000 rows/s | 1 rejected | 30 s left',
  ])
})
