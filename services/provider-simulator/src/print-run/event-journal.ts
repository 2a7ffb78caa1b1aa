import { randomUUID } from 'node:crypto'
import { mkdir, open, readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { ItemEvent } from '@despatch/client/print-run'

export type EventJournal = {
  /** Returns the last event of a document. */
  latest(documentId: string): LatestEvent | undefined
  /** Stores events, each under its own id, so that a repeated report contains the same events. */
  note(...events: readonly Omit<ItemEvent, 'eventId'>[]): Promise<void>
  /** Returns the events that are not reported yet, in the order in which they happened. */
  unreported(): readonly ItemEvent[]
  /** Marks the next `count` events as reported. */
  forget(count: number): void
  close(): Promise<void>
}
export type LatestEvent = Pick<ItemEvent, 'attempt' | 'type' | 'reasonCode'>

/**
 * Opens the events of a print run: one line of JSON for each, in a file that only grows. The first `reportedCount`
 * events have been reported.
 */
export async function openEventJournal(path: string, reportedCount: number): Promise<EventJournal> {
  await mkdir(dirname(path), { recursive: true })
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw error
  })
  const latest = new Map<string, LatestEvent>()
  let unreported: ItemEvent[] = []
  const keep = ({ documentId, attempt, type, reasonCode }: ItemEvent) =>
    latest.set(documentId, { attempt, type, ...(reasonCode && { reasonCode }) })
  let known = 0
  for (const event of text.split('\n').flatMap(readEvent)) {
    keep(event)
    known += 1
    if (known > reportedCount) unreported.push(event)
  }
  let writing = Promise.resolve()
  await using parts = new AsyncDisposableStack()
  const file = parts.use(await open(path, 'a'))
  parts.defer(() => file.sync())
  // A crash may have cut off the last line. The next event must start on a new line.
  if (text !== '' && !text.endsWith('\n')) await file.appendFile('\n')

  const opened = parts.move()
  return {
    latest: (documentId) => latest.get(documentId),
    note: (...events) => {
      const noted = events.map((event) => ({ eventId: randomUUID(), ...event }))
      // Writes run one after the other, because the count of reported events follows the order of the file.
      writing = writing.then(async () => {
        await file.appendFile(noted.map((event) => `${JSON.stringify(event)}\n`).join(''))
        unreported.push(...noted)
        noted.forEach(keep)
      })
      return writing
    },
    unreported: () => unreported,
    forget: (count) => {
      unreported = unreported.slice(count)
    },
    close: () => opened.disposeAsync(),
  }
}

function readEvent(line: string): ItemEvent[] {
  try {
    return [JSON.parse(line) as ItemEvent]
  } catch {
    return []
  }
}
