import type { ContractResponse } from '@despatch/contracts/administration/contract'
import { expect, test } from 'vitest'
import { changesOf } from './contract-changes.ts'
import { renderContracts } from './contracts.ts'

const terms = { production: 'letter', plex: 'duplex', colour: true, marks: true } as const
const contract: ContractResponse = {
  jobType: 'LETTER',
  templateReference: 'LETTER',
  ...terms,
  printsHandlingInstruction: true,
  pagesMax: 100,
  ruleSet: 'standard-2026-11',
  addressPlacement: 'own-page',
  stationery: 'A4-PLAIN',
  templateData: false,
  callbackStatuses: ['DESPATCHED'],
  callbackReturns: false,
  callbackOrder: 'print-job',
  holdForApproval: false,
  strict: true,
  refusedRules: [],
  unknownMembers: 'report',
  unreadableFiles: 'refuse',
  lettersWithoutFile: '2027-02-01',
}

test('what a contract refuses is shown, with the day from which it does', () => {
  expect(renderContracts([contract])).toContain(
    '\tstandard-2026-11, strict, refuses unreadable files, letters without a file from 2027-02-01\t',
  )
})

test.each([
  ['is no longer strict', contract, {}, ['strict true false']],
  [
    'refuses unknown members',
    contract,
    { strict: true, unknownMembers: 'refuse' },
    ['unknownMembers report refuse'],
  ],
  [
    'chooses rules',
    { ...contract, strict: false },
    { refusedRules: ['P503'] },
    ['refusedRules  P503'],
  ],
])('the difference is shown of a contract that %s', (_what, existing, given, expected) => {
  const changes = changesOf(existing, { ...terms, callbackStatuses: ['DESPATCHED'], ...given })

  expect(changes.map(({ term, now, given }) => `${term} ${now} ${given}`)).toEqual(expected)
})

test('terms that this release does not know cannot be compared, so all that are not given differ', () => {
  const changes = changesOf(contract, { ...terms, ruleSet: 'of-the-next-release', newTerm: 1 })

  expect(changes.map(({ term }) => term)).toEqual(
    expect.arrayContaining(['ruleSet', 'newTerm', 'strict', 'callbackStatuses']),
  )
})
