import type { ContractResponse } from '@despatch/contracts/administration/contract'
import { expect, test } from 'vitest'
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
  callbackConcurrency: 8,
  holdForApproval: false,
  strict: true,
  refusedRules: [],
  unknownMembers: 'report',
  unreadableFiles: 'refuse',
  lettersWithoutFile: '2027-02-01',
}

test('the findings that a contract refuses are shown, with the day from which it does', () => {
  expect(renderContracts([contract])).toContain(
    '\tstandard-2026-11, strict, refuses unreadable files, letters without a file from 2027-02-01\t',
  )
})
