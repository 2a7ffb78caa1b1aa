import { setTimeout as pause } from 'node:timers/promises'
import { isComplete, isFinal, type LetterProgress, statusesOf } from './letter-progress.ts'
import { readPrintJob, readPrintJobEvents } from './users/consumer.ts'
import type { Session } from './users/session.ts'

const pollIntervalMs = 200

/** Told of the status that a letter had at the last look, if it had one, and of those that it has taken since. */
type OnMove = (progress: LetterProgress, statuses: readonly string[]) => void

/**
 * Reads the letters' timelines, over HTTP as any consumer may, until each has come to its end and its callback has
 * been received. Tells every move. Ends with the signal's reason when that comes first.
 */
export async function watchLetters({
  session,
  letters,
  onMove,
  signal,
}: {
  session: Session
  letters: readonly LetterProgress[]
  onMove: OnMove
  signal: AbortSignal
}): Promise<void> {
  while (!letters.every(isComplete)) {
    await Promise.all(letters.map((progress) => look(progress, session, onMove)))
    await pause(pollIntervalMs, undefined, { signal }).catch(() => signal.throwIfAborted())
  }
}

async function look(progress: LetterProgress, session: Session, onMove: OnMove): Promise<void> {
  if (isFinal(progress)) return
  const { id } = progress.letter
  const known = statusesOf(progress)
  progress.events = await readPrintJobEvents(session, id)
  if (isFinal(progress)) progress.job = await readPrintJob(session, id)
  const statuses = statusesOf(progress)
  if (statuses.length > known.length)
    onMove(progress, statuses.slice(Math.max(known.length - 1, 0)))
}
