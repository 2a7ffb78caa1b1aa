import { isHeldByOperator } from '@despatch/domain/print-job/send-control'
import type { KnownPrinting, PrintedDocument, PrintedLetter } from './printed-letters.ts'

/**
 * What a printed document means for the letters of this database. `known`: the database knows that the provider has it.
 * `hold`: the letter would be printed a second time. `held`: a hold prevents that. `reused`: the number belongs to
 * another letter. `ended`: the letter is not waiting any more. `producing`: the letter is in production. `beyond`: an
 * attempt that was not authorised here. `unknown`: no letter of this database matches.
 */
export type PrintedVerdict =
  | { kind: 'known' }
  | { kind: 'hold' | 'held' | 'reused' | 'ended' | 'producing'; letter: PrintedLetter }
  | { kind: 'beyond' }
  | { kind: 'unknown' }

/** Returns whether the database knows everything about a printed document. Otherwise its letters must be looked up. */
export function isKnown(document: PrintedDocument, known: KnownPrinting): boolean {
  return (
    known.isRunClaimed &&
    known.attempt !== null &&
    known.attempt >= document.attempt &&
    known.sha256 === document.sha256
  )
}

/** Judges one printed document by what the database knows and by the letters that it may be. */
export function judgePrinted(
  document: PrintedDocument,
  known: KnownPrinting,
  letters: readonly PrintedLetter[],
): PrintedVerdict {
  if (isKnown(document, known)) return { kind: 'known' }
  const isSameDocument = known.isRunClaimed && known.sha256 === document.sha256
  if (isSameDocument) return { kind: 'beyond' }
  const letter = letters.find(isWaiting) ?? letters[0]
  if (!letter) return { kind: 'unknown' }
  // A letter without a document yet will get this number and the same bytes.
  if (letter.sha256 !== null && letter.sha256 !== document.sha256) return { kind: 'reused', letter }
  if (letter.status === 'PRODUCTION') return { kind: 'producing', letter }
  if (!isWaiting(letter)) return { kind: 'ended', letter }
  return { kind: isHeldByOperator(letter.heldBy) ? 'held' : 'hold', letter }
}

function isWaiting({ status, isDeleted }: PrintedLetter): boolean {
  return ['QUARANTINE', 'VALIDATING', 'PENDING'].includes(status) && !isDeleted
}
