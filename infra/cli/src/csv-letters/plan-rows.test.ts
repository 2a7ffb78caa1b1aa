import { expect, test } from 'vitest'
import { planRows } from './plan-rows.ts'

/** The content of each row is a letter of the alphabet. Row 1 is the header. */
const placed = (content: string) => [...content].map((digest, at) => ({ row: at + 2, digest }))
const rowsOf = (content: string) => new Map(placed(content).map(({ row, digest }) => [row, digest]))

test.each<[what: string, file: string, accepted: string, done: number[], gone: number[]]>([
  ['a first run has nothing done', 'abc', '', [], []],
  ['after an interruption the first rows are done', 'abcd', 'ab', [2, 3], []],
  ['the same file again is done', 'abc', 'abc', [2, 3, 4], []],
  ['a row that was added in the middle is the only new one', 'axbc', 'abc', [2, 4, 5], []],
  ['rows that were sorted are done', 'cab', 'abc', [2, 3, 4], []],
  ['a row that was changed is gone', 'axc', 'abc', [2, 4], [3]],
  ['a row that was removed is gone', 'ac', 'abc', [2, 3], [3]],
  ['a row that was changed and has moved is gone', 'yabx', 'abc', [3, 4], [4]],
  ['equal rows are letters of their own', 'aaa', 'aa', [2, 3], []],
  ['one of equal rows that was removed is gone', 'a', 'aa', [2], [3]],
])('%s', (_, file, accepted, done, gone) => {
  const planned = planRows(rowsOf(file), placed(accepted))

  expect([...planned.done].sort()).toEqual(done)
  expect(planned.gone.map(({ row }) => row)).toEqual(gone)
})

test('two letters that were accepted at one row, before and after another was added above, are both known', () => {
  const accepted = [...placed('abc'), { row: 3, digest: 'x' }]

  expect(planRows(rowsOf('axbc'), accepted)).toEqual({ done: new Set([2, 3, 4, 5]), gone: [] })
})
