import { expect, test } from 'vitest'
import { inOrder } from './search-order.ts'

const letter = { text: 'Ms Ada Example', names: [] as string[] }
const run = { text: 'Run R104398', names: ['R104398'] }
const consumer = { text: 'Example Ltd', names: ['example', 'Example Ltd'] }
const other = { text: 'Another Example Ltd', names: ['another', 'Another Example Ltd'] }

const found = { letters: { hits: [letter] }, others: { hits: [other, consumer, run] } }

test.each([
  ['r104398', [run, other, consumer, letter]],
  [' EXAMPLE ', [consumer, other, run, letter]],
  ['Example L', [letter, other, consumer, run]],
  ['R10439', [letter, other, consumer, run]],
])('%s finds first what has exactly this id or name, and otherwise letters', (term, hits) => {
  expect(inOrder(term, found).flatMap((group) => group.hits)).toEqual(hits)
})

test('each group keeps its name and why it could not be searched', () => {
  const failure = 'Letters could not be searched.'

  expect(inOrder('R104398', { ...found, letters: { hits: [], failure } })).toEqual([
    { name: 'Runs, consumers, callbacks', hits: [run, other, consumer] },
    { name: 'Letters', hits: [], failure },
  ])
})
