import { setTimeout as pause } from 'node:timers/promises'
import { isComplete, isFinal, type LetterProgress, statusOf } from './letter-progress.ts'
import { readPrintJob, readPrintJobEvents } from './users/consumer.ts'
import type { Session } from './users/session.ts'

const pollIntervalMs = 200

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
  onMove: (progress: LetterProgress, from: string | undefined, to: string) => void
  signal: AbortSignal
}): Promise<void> {
  while (!letters.every(isComplete)) {
    await Promise.all(letters.map((progress) => look(progress, session, onMove)))
    await pause(pollIntervalMs, undefined, { signal }).catch(() => signal.throwIfAborted())
  }
}

async function look(
  progress: LetterProgress,
  session: Session,
  onMove: (progress: LetterProgress, from: string | undefined, to: string) => void,
): Promise<void> {
  if (isFinal(progress)) return
  const { id } = progress.letter
  const events = await readPrintJobEvents(session, id)
  for (const event of events.slice(progress.events.length)) {
    const from = statusOf(progress)
    progress.events.push(event)
    if (event.status !== from) onMove(progress, from, event.status)
  }
  if (isFinal(progress)) progress.job = await readPrintJob(session, id)
}
