import { type DocumentStanding, isPostableInStead } from './document-progress.ts'

/** For how long a provider is taken to be at work after it was last heard of, unless its own terms say how long it may be away. */
const absenceSecondsMin = 3_600

export type ProviderPresence = {
  /** When it last asked for work, or said anything of the print run. */
  lastHeardAt: Date | null
  awaySecondsMax: number | null
}

/** Whether nothing has been heard of a provider for so long that others may speak in its stead. */
export function isAbsent({ lastHeardAt, awaySecondsMax }: ProviderPresence, at: Date): boolean {
  if (lastHeardAt === null) return true
  return +at - +lastHeardAt > (awaySecondsMax ?? absenceSecondsMin) * 1000
}

/** What is known of the recalls of a document: somebody waits for an answer, or it was too late. */
export type RecallStanding = 'OPEN' | 'TOO_LATE' | null

export type InSteadRefusal =
  /** It has its outcome. */
  | 'ended'
  | 'spoiled'
  /** A recall of it waits for an answer, which may be that it was stopped. */
  | 'asked-back'
  /** Its provider is at work and may post it itself. */
  | 'provider-present'

/**
 * Why an operator may not record the posting of a document in the provider's stead; undefined: it may. While the provider is
 * there, only of what was too late to be recalled: the provider has had its say about that.
 */
export function refusalInStead(
  standing: DocumentStanding,
  { recall, isProviderAbsent }: { recall: RecallStanding; isProviderAbsent: boolean },
): InSteadRefusal | undefined {
  if (standing.outcome !== null) return 'ended'
  if (!isPostableInStead(standing)) return 'spoiled'
  if (recall === 'OPEN') return 'asked-back'
  if (!isProviderAbsent && recall !== 'TOO_LATE') return 'provider-present'
}
