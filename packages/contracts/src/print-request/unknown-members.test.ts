import { expect, test } from 'vitest'
import {
  unknownMemberFaults,
  unknownMemberFindings,
  unknownMembersToStore,
} from './unknown-members.ts'

const note = (detail: string) => ({ rule: 'unknown-member', severity: 'note', detail })

test('a request without unknown members has nothing to store or to report', () => {
  expect(unknownMembersToStore({ paths: [], count: 0 })).toBeNull()
  expect([unknownMemberFindings(null), unknownMemberFaults(null)]).toEqual([[], []])
})

test('each unknown member becomes a note that suggests the known name', () => {
  const stored = unknownMembersToStore({ paths: ['standardParams.despatchmethod', 'x'], count: 2 })

  expect(unknownMemberFindings(stored)).toEqual([
    note(
      'standardParams.despatchmethod is not known. Did you mean despatchMethod? Unknown members are ignored.',
    ),
    note('x is not known. Unknown members are ignored.'),
  ])
})

test('unknown members beyond the first twenty are counted, also when they are read from the store', () => {
  const paths = Array.from({ length: 20 }, (_, index) => `m${index}`)

  const stored = unknownMembersToStore({ paths, count: 57 })

  expect(stored).toHaveLength(21)
  expect(unknownMemberFindings(stored).slice(19)).toEqual([
    note('m19 is not known. Unknown members are ignored.'),
    note('body has 37 more members that are not known. Unknown members are ignored.'),
  ])
  expect(unknownMemberFindings(unknownMembersToStore({ paths, count: 21 })).at(-1)).toEqual(
    note('body has 1 more member that is not known. Unknown members are ignored.'),
  )
  expect(unknownMemberFindings(unknownMembersToStore({ paths, count: 20 }))).toHaveLength(20)
})

test('a contract that refuses unknown members gets a violation for each, marked as named by the caller', () => {
  expect(unknownMemberFaults(['standardParams.despatchmethod'])).toEqual([
    {
      field: 'standardParams.despatchmethod',
      code: 'UnknownMember',
      detail: 'standardParams.despatchmethod is not known. Did you mean despatchMethod?',
      isNamedByCaller: true,
    },
  ])
})
