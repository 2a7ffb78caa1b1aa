import { randomUUID } from 'node:crypto'
import { mkdir, open, readFile } from 'node:fs/promises'
import { dirname } from 'node:path'

export type ItemEventType = 'FETCHED' | 'PRINTED' | 'ENCLOSED' | 'DIVERTED' | 'SPOILED' | 'FAILED'

/** Something that happened to a document on the floor, as it is reported. */
export type ItemEvent = {
  eventId: string
  documentId: string
  attempt: number
  type: ItemEventType
  /** By the clock of the factory. */
  occurredAt: string
  serialNumber?: string
  reasonCode?: string
  reason?: string
}

export type EventJournal = {
  /** The last that happened to a document. */
  latest(documentId: string): LatestEvent | undefined
  /** Keeps what has happened, under ids of its own, so that it is the same event however often it is told. */
  note(...events: readonly Omit<ItemEvent, 'eventId'>[]): Promise<void>
  /** What was not reported yet, in the order in which it happened. */
  unreported(): readonly ItemEvent[]
  /** The next so many are reported. */
  forget(count: number): void
  close(): Promise<void>
}
export type LatestEvent = Pick<ItemEvent, 'attempt' | 'type' | 'reasonCode'>

/** Opens the events of a print run: one line of JSON for each, only ever appended to. The first were reported already. */
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
  const file = await open(path, 'a')
  // A crash may have cut the last line short: what follows must not be written onto it.
  if (text !== '' && !text.endsWith('\n')) await file.appendFile('\n')

  return {
    latest: (documentId) => latest.get(documentId),
    note: (...events) => {
      const noted = events.map((event) => ({ eventId: randomUUID(), ...event }))
      // One after the other: what is counted as reported is counted in the order of the file.
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
    close: async () => {
      await file.sync()
      await file.close()
    },
  }
}

function readEvent(line: string): ItemEvent[] {
  try {
    return [JSON.parse(line) as ItemEvent]
  } catch {
    return []
  }
}
