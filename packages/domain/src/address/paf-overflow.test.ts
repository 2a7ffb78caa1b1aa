import { byEffort } from '@despatch/testing/effort'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { makePafElements, type PafElement } from './paf-elements.ts'
import { fitElements } from './paf-overflow.ts'
import { lineCharactersMax } from './printed-line.ts'

const long = (letter: string) => letter.repeat(40)
const element = (role: PafElement['role'], text: string, numbered = false) => ({
  role,
  text,
  numbered,
})

test.each<[rule: string, elements: PafElement[], lines: string[]]>([
  [
    'with a street',
    [
      element('organisation', long('O')),
      element('po-box', long('9')),
      element('premise', long('B')),
      element('street', 'Elm Road'),
      element('double-dependent-locality', 'Lowmoor'),
      element('dependent-locality', long('M')),
    ],
    [long('9'), long('B'), 'Elm Road, Lowmoor', long('M')],
  ],
  [
    'with the number',
    [
      element('organisation', long('O')),
      element('po-box', long('9')),
      ...['A', 'B', 'C'].map((letter) => element('premise', long(letter))),
      element('double-dependent-locality', '27 Lowmoor', true),
      element('dependent-locality', 'Weston'),
    ],
    [long('A'), long('B'), long('C'), '27 Lowmoor, Weston'],
  ],
])('a locality that is joined is kept: %s', (_, elements, lines) => {
  expect(fitElements(elements)).toEqual(lines)
})

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
