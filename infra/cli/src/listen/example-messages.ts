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

/**
 * Returns examples of the callbacks for events, in the form of the real ones. They are those of one print job, in order;
 * a rejected print job is another one. Neither exists.
 */
export function exampleMessages(
  events: readonly ExampleEvent[],
  { newId, at }: { newId: () => string; at: Date },
): { event: ExampleEvent; message: Message }[] {
  const ofOne = { printJobId: newId(), correlationId: newId(), sequence: 0 }
  const ofRejected = { printJobId: newId(), correlationId: newId(), sequence: 0 }
  return events.map((event) => {
    const job = event === 'REJECTED' ? ofRejected : ofOne
    // a test is of no print job
    if (event !== 'TEST') job.sequence += 1
    const id = newId()
    const letter = {
      ...job,
      messageId: id,
      at,
      jobType: 'LETTER',
      templateReference: 'LETTER',
    }
    const { correlationId } = job
    return { event, message: { id, correlationId, body: Buffer.from(bodyOf(event, letter)) } }
  })
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
      businessIdentifier: null,
      scannedAt: letter.at,
      reasonCode: 'R01',
      disposition: 'DESTROYED',
    })
  }
  return renderStatusMessage({
    ...letter,
    status: event,
    comment: comments[event] ?? null,
    despatchProperties: event === 'DESPATCHED' ? despatchProperties : null,
  })
}
