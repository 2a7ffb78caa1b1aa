import type { ContractResponse } from '@despatch/contracts/administration/contract'
import { expect, test } from 'vitest'
import { linesOf, withTerms } from './contract-terms.ts'

const contract: ContractResponse = {
  jobType: 'REMINDER',
  templateReference: 'V11',
  production: 'as-supplied',
  suppliedFileKey: 'letter',
  printsHandlingInstruction: false,
  plex: 'duplex',
  colour: true,
  pagesMax: 20,
  callbackStatuses: ['DESPATCHED'],
  ruleSet: 'first',
  addressPlacement: 'own-page',
  marks: true,
  stationery: 'A4-PLAIN',
  templateData: false,
  callbackReturns: false,
  callbackOrder: 'print-job',
  callbackConcurrency: 8,
  holdForApproval: false,
  retentionDays: 90,
  strict: false,
  refusedRules: ['postcode'],
  unknownMembers: 'report',
  unreadableFiles: 'report',
  lettersWithoutFile: 'refuse',
}

test('a changed contract keeps the terms that the form does not have, and is sent whole', () => {
  const { jobType: _, templateReference: __, retentionDays: ___, ...terms } = contract

  expect(
    withTerms(contract, {
      pagesMax: '24',
      retentionDays: '',
      stationery: 'A4-PLAIN',
      plex: 'simplex',
      callbackOrder: 'print-job',
      callbackConcurrency: '8',
      'on-PRODUCTION': 'true',
      'on-DESPATCHED': 'true',
      marks: 'true',
      unknownMembers: 'report',
      unreadableFiles: '2027-02-01',
      lettersWithoutFile: 'refuse',
    }),
  ).toEqual({
    ...terms,
    pagesMax: 24,
    plex: 'simplex',
    colour: false,
    callbackStatuses: ['PRODUCTION', 'DESPATCHED'],
    unreadableFiles: '2027-02-01',
  })
})

test('a difference has a line for what was and one for what is', () => {
  expect(
    linesOf([
      { term: 'callbackStatuses', before: ['DESPATCHED'], after: [] },
      { term: 'retentionDays', after: 90 },
      { term: 'strict', before: true, after: false },
    ]),
  ).toEqual([
    ['−', 'callbackStatuses DESPATCHED'],
    ['+', 'callbackStatuses none'],
    ['+', 'retentionDays 90'],
    ['−', 'strict true'],
    ['+', 'strict false'],
  ])
})
