import { standardParamsSchema } from '@despatch/contracts/print-request/print-job-request'
import { expect, test } from 'vitest'
import { listScenarios } from './list-scenarios.ts'
import { printScenario, printScenarios, providerOutcome } from './print-scenarios.ts'

test('every recipient occurs once', () => {
  const recipients = printScenarios.map(({ recipientName }) => recipientName)

  expect(new Set(recipients).size).toBe(recipients.length)
})

test('only a rejected print job has a comment, and each of them has one', () => {
  expect(
    printScenarios.filter(
      ({ status, comment }) => (status === 'REJECTED') !== (comment !== undefined),
    ),
  ).toEqual([])
})

test('the recipient must be written as in the table', () => {
  expect(printScenario('UAT HOLD PRODUCTION')?.status).toBe('PRODUCTION')
  expect(printScenario('Uat Hold Production')).toBeUndefined()
})

test.each([
  ['UAT HOLD PRODUCTION', { kind: 'hold' }],
  ['UAT SPOIL', { kind: 'spoil', reasonCode: 'SMUDGED', reason: 'The toner is smudged' }],
  ['UAT FAIL JAM', { kind: 'fail', reasonCode: 'JAM', reason: 'The paper jams repeatedly' }],
  ['UAT RETURN R09', { kind: 'return', reasonCode: 'R09' }],
  ['UAT REJECT EMPTY FILE', { kind: 'print' }],
  ['Ms A Person', { kind: 'print' }],
])('the print provider receives for %s: %o', (recipientName, outcome) => {
  expect(providerOutcome(recipientName)).toEqual(outcome)
})

test('a refusal by the print provider reads as any other', () => {
  const { comment } = printScenario('UAT REFUSE UNPRINTABLE')!

  expect(comment?.({ fileId: 'scan', pagesMax: 1, uploadBytesMax: 1 })).toBe(
    'Refused by the print provider: UNPRINTABLE: The document cannot be printed',
  )
})

test('a failure at the print provider reads as any other', () => {
  const { comment } = printScenario('UAT FAIL JAM')!

  expect(comment?.({ fileId: 'scan', pagesMax: 1, uploadBytesMax: 1 })).toBe(
    'Failed at the print provider: JAM: The paper jams repeatedly',
  )
})

test('there is a recipient for each reason for which a letter comes back', () => {
  const returned = printScenarios.filter(({ recipientName }) =>
    recipientName.startsWith('UAT RETURN '),
  )

  expect(returned.map(({ title }) => title)).toEqual([
    'Despatched, and comes back: gone away',
    'Despatched, and comes back: address incomplete',
    'Despatched, and comes back: address inaccessible',
    'Despatched, and comes back: addressee unknown',
    'Despatched, and comes back: gone away or refused',
    'Despatched, and comes back: not called for',
    'Despatched, and comes back: no such address',
    'Despatched, and comes back: no reason given',
    'Despatched, and comes back: deceased',
    'Despatched, and comes back: miscellaneous',
  ])
})

test('the request of every print scenario is one that the service takes', () => {
  const bodies = listScenarios()
    .filter(({ api }) => api === 'print-request')
    .map(({ request }) => request.body.standardParams)

  expect(bodies).toHaveLength(printScenarios.length)
  expect(bodies.map((body) => standardParamsSchema.parse(body))).toEqual(bodies)
})
