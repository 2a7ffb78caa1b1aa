import { type DocumentState, isPostableOnBehalf } from './document-progress.ts'

/**
 * How long, in seconds, a provider counts as present after it was last heard from, unless its own terms set a limit.
 */
const absenceSecondsMin = 3_600

type ProviderPresence = {
  /** When it last polled for work, or reported on the print run. */
  lastHeardAt: Date | null
  awaySecondsMax: number | null
}

/** Whether a provider has been silent for so long that an operator may act on its behalf. */
export function isAbsent({ lastHeardAt, awaySecondsMax }: ProviderPresence, at: Date): boolean {
  return +at - +(lastHeardAt ?? 0) > (awaySecondsMax ?? absenceSecondsMin) * 1000
}

/** The recalls of a document: one waits for an answer, or one was too late. */
export type RecallStatus = 'OPEN' | 'TOO_LATE' | null

export type OnBehalfRefusal =
  /** The document has its outcome. */
  | 'ended'
  | 'spoiled'
  /** A recall of the document waits for an answer, which may be that it was stopped. */
  | 'asked-back'
  /** The provider is present and may post it itself. */
  | 'provider-present'

/**
 * Returns why an operator may not record the posting of a document on behalf of the provider; undefined if the operator
 * may. While the provider is present, this is possible only for documents whose recall was too late: the provider has
 * already answered for those.
 */
export function refusalOnBehalf(
  standing: DocumentState,
  { recall, isProviderAbsent }: { recall: RecallStatus; isProviderAbsent: boolean },
): OnBehalfRefusal | undefined {
  if (standing.outcome !== null) return 'ended'
  if (!isPostableOnBehalf(standing)) return 'spoiled'
  if (recall === 'OPEN') return 'asked-back'
  if (!isProviderAbsent && recall !== 'TOO_LATE') return 'provider-present'
}
