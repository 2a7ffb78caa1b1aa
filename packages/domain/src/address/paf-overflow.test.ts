import { byEffort } from '@despatch/testing/effort'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { makePafElements } from './paf-elements.ts'
import { fitElements } from './paf-overflow.ts'
import { lineCharactersMax } from './printed-line.ts'

/** A part that no other part repeats, of this letter. */
const part = (letter: string) =>
  fc.option(
    fc.integer({ min: 1, max: 44 }).map((length) => letter.repeat(length)),
    { nil: null },
  )

const address = fc.record({
  organisationName: part('O'),
  departmentName: part('D'),
  poBoxNumber: part('9'),
  subBuildingName: part('S'),
  buildingName: part('B'),
  buildingNumber: part('7'),
  dependentThoroughfareName: part('T'),
  thoroughfareName: part('U'),
  doubleDependentLocality: part('L'),
  dependentLocality: part('M'),
})

test('every premise and street that fits in a line is printed, even when other elements are left out', () => {
  fc.assert(
    fc.property(address, (given) => {
      const { elements } = makePafElements(given)
      const lines = fitElements(elements)

      expect(lines.length).toBeLessThanOrEqual(4)
      for (const { role, text, numbered } of elements) {
        const isKept = role === 'premise' || role === 'street' || numbered
        if (isKept && text.length <= lineCharactersMax) expect(lines.join('\n')).toContain(text)
      }
    }),
    { numRuns: byEffort({ landing: 300, full: 10_000 }) },
  )
})
