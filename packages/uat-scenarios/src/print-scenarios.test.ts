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

test.each([
  [
    'UAT REFUSE UNPRINTABLE',
    'Refused by the print provider: UNPRINTABLE: The document cannot be printed',
  ],
  ['UAT FAIL JAM', 'Failed at the print provider: JAM: The paper jams repeatedly'],
])('the comment on a letter to %s reads as any other', (recipientName, expected) => {
  const { comment } = printScenario(recipientName)!

  expect(comment?.({ fileId: 'scan', pagesMax: 1, uploadBytesMax: 1 })).toBe(expected)
})

test('the request of every print scenario is one that the service takes', () => {
  const bodies = listScenarios()
    .filter(({ api }) => api === 'print-request')
    .map(({ request }) => request.body.standardParams)

  expect(bodies).toHaveLength(printScenarios.length)
  expect(bodies.map((body) => standardParamsSchema.parse(body))).toEqual(bodies)
})
