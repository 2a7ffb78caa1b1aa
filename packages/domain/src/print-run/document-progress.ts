import type { ItemEventType } from './item-event.ts'

/** How far the current attempt at a document has come; SPOILED ends the attempt. */
export type DocumentProgress = 'FETCHED' | 'PRINTED' | 'ENCLOSED' | 'SPOILED'

/** What became of a document in the end. Exactly one for each that was claimed. */
export const documentOutcomes = ['REFUSED', 'DESPATCHED', 'FAILED', 'RECALLED'] as const
export type DocumentOutcome = (typeof documentOutcomes)[number]

/** A document of a claimed run as it stands. */
export type DocumentStanding = {
  /** The attempt that its manifest tells. */
  firstAttempt: number
  /** The attempt that counts now: the first, or the last that was authorised. */
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

export type Judgement =
  /** The event moves the document to this standing. */
  | { kind: 'apply'; standing: DocumentStanding }
  /** The event is true, and comes too late to move anything: the document is further, or on another attempt. */
  | { kind: 'record' }
  /** The event cannot be true. */
  | { kind: 'refuse'; reason: EventRefusal }

const ranks = { FETCHED: 1, PRINTED: 2, ENCLOSED: 3, SPOILED: 4 } as const

/**
 * What an event does to a document. Events come in any order; the rank of an attempt only rises. An attempt that nobody
 * authorised cannot have happened: that is what keeps a second copy out of the post. `reported` are the types that are known of
 * the event's attempt.
 */
export function judgeItemEvent(
  standing: DocumentStanding,
  event: { type: ItemEventType; attempt: number },
  reported: ReadonlySet<ItemEventType>,
): Judgement {
  const { attempt, progress, outcome } = standing
  const moved = (next: DocumentProgress): Judgement => ({
    kind: 'apply',
    standing: { ...standing, progress: next },
  })
  if (event.attempt > attempt) return refuse('attempt-not-authorised')
  if (event.type !== 'DIVERTED' && reported.has(event.type)) return refuse('already-reported')
  if (outcome === 'REFUSED') return refuse('not-in-production')
  if (event.type === 'FAILED') return judgeFailure(standing, event.attempt)
  if (event.attempt < attempt || event.type === 'DIVERTED') return { kind: 'record' }
  if (event.type === 'SPOILED') {
    if (outcome !== null) return refuse('not-spoilable')
    return moved('SPOILED')
  }
  const isFurther = outcome !== null || (progress !== null && ranks[progress] > ranks[event.type])
  return isFurther ? { kind: 'record' } : moved(event.type)
}

function judgeFailure(standing: DocumentStanding, attempt: number): Judgement {
  if (standing.outcome !== null || attempt < standing.attempt) return refuse('not-failable')
  return { kind: 'apply', standing: { ...standing, outcome: 'FAILED' } }
}

function refuse(reason: EventRefusal): Judgement {
  return { kind: 'refuse', reason }
}

/** Whether a document may be handed to a carrier. A reprint may only once it was reported as printed. */
export function isPostable(standing: DocumentStanding): boolean {
  const { firstAttempt, attempt, progress, outcome } = standing
  if (outcome !== null || progress === 'SPOILED') return false
  return attempt === firstAttempt || progress === 'PRINTED' || progress === 'ENCLOSED'
}
