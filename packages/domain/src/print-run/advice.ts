import type { DocumentProgress } from './document-progress.ts'
import type { PrintRunState } from './state.ts'

/**
 * What an operator can do about a document whose outcome is not known. move-run: reassign or recall the refused run.
 * decide-reprint: decide on its reprint. post: record its posting on behalf of the provider. recall: recall it, and
 * settle the recall.
 */
export const advices = ['move-run', 'decide-reprint', 'post', 'recall'] as const
export type Advice = (typeof advices)[number]

type MissingDocument = {
  progress: DocumentProgress | null
  /** A reprint waits for an operator's decision. */
  isReprintWaiting: boolean
  /** It had already left when it was recalled, and there is no newer recall. */
  isTooLate: boolean
}

/** Returns what an operator can do about a document of a print run in this state. */
export function adviceOn(
  { progress, isReprintWaiting, isTooLate }: MissingDocument,
  state: PrintRunState,
): Advice {
  if (state === 'REFUSED') return 'move-run'
  if (isReprintWaiting) return 'decide-reprint'
  return isTooLate && progress !== 'SPOILED' ? 'post' : 'recall'
}
