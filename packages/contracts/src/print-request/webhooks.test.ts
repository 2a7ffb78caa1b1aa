import { renderReturnMessage } from '@despatch/domain/callback/return-message'
import { renderStatusMessage } from '@despatch/domain/callback/status-message'
import { renderTestMessage } from '@despatch/domain/callback/test-message'
import { printJobStatuses } from '@despatch/domain/print-job/status'
import { expect, test } from 'vitest'
import { callbackWebhooks } from './webhooks.ts'

const { printJobStatus, letterReturned, testMessage } = callbackWebhooks
const message = {
  messageId: '7f1d1c55-1a6f-4f0b-9a53-6a6f4a3f0a11',
  sequence: 2,
  printJobId: 'A5C1B9D2',
  jobType: 'NOTIFY',
  templateReference: 'NO1',
  at: new Date('2026-03-20T23:59:59.987Z'),
  correlationId: '0c2b6c5e-4b4b-4b7c-8f5e-1f5d2b0a9c33',
}
const despatchProperties = [{ key: 'totalSheets', value: '1' }]
const returned = { reasonCode: 'R02', disposition: 'DESTROYED', scannedAt: message.at } as const

const sent = [
  ...printJobStatuses.map((status) => [
    printJobStatus,
    renderStatusMessage({ ...message, status, comment: 'Why', despatchProperties }),
  ]),
  [letterReturned, renderReturnMessage({ ...message, ...returned, businessIdentifier: 'CASE-7' })],
  [letterReturned, renderReturnMessage({ ...message, ...returned, businessIdentifier: null })],
  [testMessage, renderTestMessage(message)],
] as [(typeof callbackWebhooks)[keyof typeof callbackWebhooks], Uint8Array][]

test.each(sent)('describes every member of the message: $summary', ({ body }, bytes) => {
  const rendered = JSON.parse(new TextDecoder().decode(bytes))

  // A schema removes the members that it does not name.
  expect(body.parse(rendered)).toEqual(rendered)
})

test.each(Object.values(callbackWebhooks))('has valid examples: $summary', ({ body, examples }) => {
  for (const example of Object.values(examples)) expect(body.parse(example)).toEqual(example)
})
