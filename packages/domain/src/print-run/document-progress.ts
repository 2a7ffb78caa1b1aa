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
  /** The event is true, and comes too late to move the document: it is further, at its end, or on another attempt. */
  | { kind: 'record'; standing: DocumentStanding }
  /** The event cannot be true. */
  | { kind: 'refuse'; reason: EventRefusal }

const ranks = { FETCHED: 1, PRINTED: 2, ENCLOSED: 3, SPOILED: 4 } as const

/**
 * What an event does to a document. Events come in any order, so the progress of the current attempt is always the furthest of
 * what is known of it, whatever came first, and also once the document has its outcome. An attempt that nobody authorised,
 * or that belonged to another run, cannot have happened: that is what keeps a second copy out of the post.
 * `reported` are the types that are known of the event's attempt.
 */
export function judgeItemEvent(
  standing: DocumentStanding,
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

// The next attempt was authorised because this one could not be used: its failing says nothing of the next.
function judgeFailure(standing: DocumentStanding, attempt: number): Judgement {
  if (standing.outcome !== null || attempt < standing.attempt) return refuse('not-failable')
  return { kind: 'apply', standing: { ...standing, outcome: 'FAILED' } }
}

function judgeProgress(standing: DocumentStanding, next: DocumentProgress): Judgement {
  const { progress, outcome } = standing
  const isFurther = progress === null || ranks[next] > ranks[progress]
  if (!isFurther) return { kind: 'record', standing }
  const moved = { ...standing, progress: next }
  return { kind: outcome === null ? 'apply' : 'record', standing: moved }
}

function refuse(reason: EventRefusal): Judgement {
  return { kind: 'refuse', reason }
}

/** Whether a document may be handed to a carrier. A reprint may only once it was reported as printed. */
export function isPostable(standing: DocumentStanding): boolean {
  if (!isPostableInStead(standing)) return false
  const { firstAttempt, attempt, progress } = standing
  return attempt === firstAttempt || progress === 'PRINTED' || progress === 'ENCLOSED'
}

/**
 * Whether an operator may say in the provider's stead that a document was handed to a carrier. Its word stands for the events
 * that the provider has not sent, those of a reprint too; what was reported as spoiled has not left.
 */
export function isPostableInStead({ progress, outcome }: DocumentStanding): boolean {
  return outcome === null && progress !== 'SPOILED'
}

/** Whether a further attempt may be asked for: the current one was spoiled, and the document has not come to its end. */
export function isReprintable({ progress, outcome }: DocumentStanding): boolean {
  return outcome === null && progress === 'SPOILED'
}
