import { describe, expect, test } from 'vitest'
import { type RuleSetId, ruleSetIds, ruleSets } from './rule-set.ts'

const a4 = { width: 210, height: 297 }

describe.each(ruleSetIds)('%s', (id) => {
  const { otherPageAreas, firstPageAreas, reservedStrips } = ruleSets[id]

  test('leaves the same margin on the opposite sides of a page', () => {
    const [{ x, y, width, height }] = otherPageAreas

    expect({ right: a4.width - x - width, bottom: a4.height - y - height }).toEqual({
      right: x,
      bottom: y,
    })
  })

  test('has no area or strip outside the margins', () => {
    const [{ x, y }] = otherPageAreas
    const isWithin = (inner: { x: number; y: number; width: number; height: number }) =>
      inner.x >= x &&
      inner.y >= y &&
      inner.x + inner.width <= a4.width - x &&
      inner.y + inner.height <= a4.height - y

    expect([...firstPageAreas, ...reservedStrips].filter((each) => !isWithin(each))).toEqual([])
  })
})

test.each<[id: RuleSetId, keptFor: string, pages: string]>([
  ['standard-2026-11', 'insertion-mark', 'every'],
  ['window-letter-2026-11', 'factory', 'first'],
])('%s reserves strips for the %s on the %s page', (id, keptFor, pages) => {
  for (const strip of ruleSets[id].reservedStrips) expect(strip).toMatchObject({ keptFor, pages })
})
