import type { CallbackEnvelope } from '@despatch/contracts/callback/envelope'
import type { SampleLetter } from './letters/sample-letters.ts'
import type { PrintJob, PrintJobEvent } from './users/consumer.ts'

/** What is known of a letter so far, from what its consumer has read and been told. */
export type LetterProgress = {
  letter: SampleLetter
  events: PrintJobEvent[]
  callbacks: CallbackEnvelope[]
  /** Read once the letter has come to its end. */
  job?: PrintJob
}

const finalStatuses: readonly string[] = ['DESPATCHED', 'REJECTED']

export function statusOf({ events }: LetterProgress): string | undefined {
  return events.at(-1)?.status
}

/** The statuses that it has had, in their order. */
export function statusesOf({ events }: LetterProgress): string[] {
  return events
    .map(({ status }) => status)
    .filter((status, index, statuses) => status !== statuses[index - 1])
}

export function isFinal(progress: LetterProgress): boolean {
  return finalStatuses.includes(statusOf(progress) ?? '')
}

/** Nothing more is awaited: it has come to its end and its consumer has been told. */
export function isComplete(progress: LetterProgress): boolean {
  return isFinal(progress) && progress.callbacks.length > 0
}

/** Says in a line what a letter is still waiting for. */
export function describeOutstanding(progress: LetterProgress): string {
  const { letter } = progress
  const status = statusOf(progress) ?? 'not posted'
  return isFinal(progress)
    ? `letter ${letter.number} is ${status}, but no callback has come`
    : `letter ${letter.number} is ${status} and not ${letter.expected.status}`
}
