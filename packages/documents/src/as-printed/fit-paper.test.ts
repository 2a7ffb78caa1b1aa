import { expect, test } from 'vitest'
import { shownBox } from './fit-paper.ts'

const paper = { x: 0, y: 0, width: 600, height: 800 }

test.each([
  [
    'within the paper',
    { x: 10, y: 20, width: 300, height: 400 },
    { x: 10, y: 20, width: 300, height: 400 },
  ],
  [
    'over the edge',
    { x: 500, y: -50, width: 300, height: 100 },
    { x: 500, y: 0, width: 100, height: 50 },
  ],
  [
    'with its corners in another order',
    { x: 310, y: 420, width: -300, height: -400 },
    { x: 10, y: 20, width: 300, height: 400 },
  ],
  ['that only touches the paper, which is ignored', { x: 600, y: 0, width: 50, height: 50 }, paper],
  ['outside the paper, which is ignored', { x: 700, y: 900, width: 50, height: 50 }, paper],
  ['without a height, which is ignored', { x: 0, y: 0, width: 50, height: 0 }, paper],
])('shows the part of the paper within a crop box %s', (_, crop, shown) => {
  expect(shownBox(paper, crop)).toEqual(shown)
})
