import type { ItemEventType } from './item-event.ts'

/** The progress of the current attempt at a document. SPOILED ends the attempt. */
export const documentProgresses = ['FETCHED', 'PRINTED', 'ENCLOSED', 'SPOILED'] as const
export type DocumentProgress = (typeof documentProgresses)[number]

/** The final outcome of a document. Each claimed document gets exactly one. */
export const documentOutcomes = ['REFUSED', 'DESPATCHED', 'FAILED', 'RECALLED'] as const
export type DocumentOutcome = (typeof documentOutcomes)[number]

/** The current state of a document of a claimed run. */
export type DocumentState = {
  /** The attempt in its manifest. */
  firstAttempt: number
  /** The current attempt: the first, or the last authorised one. */
  attempt: number
  progress: DocumentProgress | null
  outcome: DocumentOutcome | null
}

export type EventRefusal =
  | 'attempt-not-authorised'
  | 'already-reported'
  | 'not-spoilable'
  | 'not-failable'
  | 'not-in-production'

type Judgement =
  /** The event changes the document to this standing. */
  | { kind: 'apply'; standing: DocumentState }
  /**
   * The event is valid but too late to change the document, which is further on, has its outcome, or is on another
   * attempt.
   */
  | { kind: 'record'; standing: DocumentState }
  /** The event is impossible. */
  | { kind: 'refuse'; reason: EventRefusal }

const ranks = { FETCHED: 1, PRINTED: 2, ENCLOSED: 3, SPOILED: 4 } as const

/**
 * Returns the effect of an event on a document. Events arrive in any order. The progress of the current attempt is
 * therefore always the furthest reported one, also after the document has its outcome. An attempt that nobody
 * authorised, or that belonged to another run, cannot have happened; this rule keeps a second copy out of the post.
 * `reported` are the types reported for the event's attempt.
 */
export function judgeItemEvent(
  standing: DocumentState,
  event: { type: ItemEventType; attempt: number },
  reported: ReadonlySet<ItemEventType>,
): Judgement {
  const { firstAttempt, attempt, outcome } = standing
  if (outcome === 'REFUSED') return refuse('not-in-production')
  if (event.attempt < firstAttempt || event.attempt > attempt) {
    return refuse('attempt-not-authorised')
  }
  if (event.type === 'DIVERTED') return { kind: 'record', standing }
  if (reported.has(event.type)) return refuse('already-reported')
  if (event.type === 'FAILED') return judgeFailure(standing, event.attempt)
  if (event.attempt < attempt) return { kind: 'record', standing }
  if (event.type === 'SPOILED' && outcome === 'DESPATCHED') return refuse('not-spoilable')
  return judgeProgress(standing, event.type)
}

// The next attempt was authorised because this one could not be used, so its failure says nothing about the next.
function judgeFailure(standing: DocumentState, attempt: number): Judgement {
  if (standing.outcome !== null || attempt < standing.attempt) return refuse('not-failable')
  return { kind: 'apply', standing: { ...standing, outcome: 'FAILED' } }
}

function judgeProgress(standing: DocumentState, next: DocumentProgress): Judgement {
  const { progress, outcome } = standing
  const isFurther = progress === null || ranks[next] > ranks[progress]
  if (!isFurther) return { kind: 'record', standing }
  const moved = { ...standing, progress: next }
  return { kind: outcome === null ? 'apply' : 'record', standing: moved }
}

function refuse(reason: EventRefusal): Judgement {
  return { kind: 'refuse', reason }
}

/** Whether a document may be handed to a carrier. A reprint requires a report that it was printed. */
export function isPostable(standing: DocumentState): boolean {
  if (!isPostableOnBehalf(standing)) return false
  const { firstAttempt, attempt, progress } = standing
  return attempt === firstAttempt || progress === 'PRINTED' || progress === 'ENCLOSED'
}

/**
 * Whether an operator may record, on behalf of the provider, that a document was handed to a carrier. The operator's
 * word replaces events that the provider has not sent, including those of a reprint. A document reported as spoiled has
 * not left.
 */
export function isPostableOnBehalf({ progress, outcome }: DocumentState): boolean {
  return outcome === null && progress !== 'SPOILED'
}

/** Whether a reprint may be requested: the current attempt was spoiled, and the document has no outcome. */
export function isReprintable({ progress, outcome }: DocumentState): boolean {
  return outcome === null && progress === 'SPOILED'
}
