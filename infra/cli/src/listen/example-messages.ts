import { renderReturnMessage } from '@despatch/domain/callback/return-message'
import { renderStatusMessage } from '@despatch/domain/callback/status-message'
import { renderTestMessage } from '@despatch/domain/callback/test-message'
import { type PrintJobStatus, printJobStatuses } from '@despatch/domain/print-job/status'
import type { Message } from './forward-message.ts'

/** The events that callbacks report: a status each, a returned letter, and a test. */
export const exampleEvents = [...printJobStatuses, 'RETURNED', 'TEST'] as const
export type ExampleEvent = (typeof exampleEvents)[number]

const comments: Partial<Record<PrintJobStatus, string>> = {
  REJECTED: 'The address has no line with a letter or a digit.',
}
const despatchProperties = [
  { key: 'totalSheets', value: '1' },
  { key: 'postageClass', value: '2ND' },
  { key: 'mailingProduct', value: 'UNCODED' },
]

/** Returns an example of the callback for an event, in the form of the real ones. Its print job does not exist. */
export function exampleMessage(
  event: ExampleEvent,
  { id, printJobId, at }: { id: string; printJobId: string; at: Date },
): Message {
  const letter = {
    ...{ messageId: id, correlationId: id, at, printJobId, sequence: 1 },
    ...{ jobType: 'LETTER', templateReference: 'LETTER' },
  }
  return { id, correlationId: id, body: Buffer.from(bodyOf(event, letter)) }
}

type Letter = Omit<
  Parameters<typeof renderStatusMessage>[0],
  'status' | 'comment' | 'despatchProperties'
>

function bodyOf(event: ExampleEvent, letter: Letter): Uint8Array {
  if (event === 'TEST') return renderTestMessage(letter)
  if (event === 'RETURNED') {
    return renderReturnMessage({
      ...letter,
      ...{ sequence: 2, businessIdentifier: null, scannedAt: letter.at },
      ...{ reasonCode: 'R01', disposition: 'DESTROYED' },
    })
  }
  return renderStatusMessage({
    ...{ ...letter, status: event, comment: comments[event] ?? null },
    despatchProperties: event === 'DESPATCHED' ? despatchProperties : null,
  })
}
