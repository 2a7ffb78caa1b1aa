import type { CallbackEnvelope } from '@despatch/contracts/callback/envelope'
import type { PrintJobResponse } from '@despatch/contracts/print-request/print-job-response'
import type { SampleLetter } from './letters/sample-letters.ts'
import type { PrintJobEvent } from './users/consumer.ts'

/** What the consumer has read and received about a letter so far. */
export type LetterProgress = {
  letter: SampleLetter
  events: PrintJobEvent[]
  callbacks: CallbackEnvelope[]
  /** Read once the letter has its final status. */
  job?: Omit<PrintJobResponse, 'standardParams' | 'createdDate' | 'updatedDate'>
}

const finalStatuses: readonly string[] = ['DESPATCHED', 'REJECTED']

export function statusOf({ events }: LetterProgress): string | undefined {
  return events.at(-1)?.status
}

/** Returns the statuses that it has had, in order. */
export function statusesOf({ events }: LetterProgress): string[] {
  return events
    .map(({ status }) => status)
    .filter((status, index, statuses) => status !== statuses[index - 1])
}

export function isFinal(progress: LetterProgress): boolean {
  return finalStatuses.includes(statusOf(progress) ?? '')
}

/** Returns true if nothing more is expected: the status is final and the consumer has been called. */
export function isComplete(progress: LetterProgress): boolean {
  return isFinal(progress) && progress.callbacks.length > 0
}

/** Returns a line that says what a letter still waits for. */
export function describeOutstanding(progress: LetterProgress): string {
  const { letter } = progress
  const status = statusOf(progress) ?? 'not posted'
  return isFinal(progress)
    ? `letter ${letter.number} is ${status}, but no callback has come`
    : `letter ${letter.number} is ${status} and not ${letter.expected.status}`
}
