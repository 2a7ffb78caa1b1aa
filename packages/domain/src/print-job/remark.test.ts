import { expect, test } from 'vitest'
import { type Found, refuseOrReport } from './remark.ts'

const now = new Date('2027-06-15T12:00Z')
const fault = { field: 'customParams', code: 'missing', detail: 'It has no file.' }

function findWith(term: string, consequence?: string) {
  const found: Found = { faults: [], remarks: [] }
  const given = { rule: 'letter-without-file', ...fault, ...(consequence && { consequence }) }
  refuseOrReport(found, given as Parameters<typeof refuseOrReport>[1], { term, now })
  return found
}

test('what a contract refuses is a fault, without the rule', () => {
  expect(findWith('refuse', 'It is printed without.')).toEqual({ faults: [fault], remarks: [] })
  expect(findWith('2027-06-15')).toEqual({ faults: [fault], remarks: [] })
})

test.each([
  ['report', undefined, 'It has no file.'],
  ['report', 'It is printed without.', 'It has no file. It is printed without.'],
  ['2027-06-16', undefined, 'It has no file. From 2027-06-16 it is refused.'],
  [
    '2027-06-16',
    'It is printed without.',
    'It has no file. It is printed without. From 2027-06-16 it is refused.',
  ],
])('with the term %s and the consequence %s it is reported: %s', (term, consequence, detail) => {
  const remarks = [{ ...fault, rule: 'letter-without-file', detail }]

  expect(findWith(term, consequence)).toEqual({ faults: [], remarks })
})
