import { setTimeout as pause } from 'node:timers/promises'
import { isComplete, isFinal, type LetterProgress, statusesOf } from './letter-progress.ts'
import { readPrintJob, readPrintJobEvents } from './users/consumer.ts'
import type { Session } from './users/session.ts'

const pollIntervalMs = 200

/** Called with the status of the last read, if there was one, and the statuses since then. */
type OnMove = (progress: LetterProgress, statuses: readonly string[]) => void

/**
 * Reads the letters' timelines over HTTP, as any consumer may, until each status is final and its callback has been
 * received. Reports every move. Throws the signal's reason if it aborts first.
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
