import { randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { CrashPoint } from '../floor/crash-points.ts'
import type { DocumentOrder } from '../floor/decide-document.ts'
import { type EventJournal, openEventJournal } from './event-journal.ts'

export type Refusal = { documentId: string; reasonCode: string; reason: string }

/**
 * What the factory must know about a run after a crash: the keys of calls whose response may be lost, and the progress.
 */
export type RunRecord = {
  claimKey: string
  /** Documents that the acknowledgement refuses. Known once all files have been fetched. */
  refusals?: Refusal[]
  /** The test environment's orders, for documents that are not simply printed. */
  orders?: Record<string, DocumentOrder>
  acknowledgedAt?: string
  /** The number of reported events in the journal. */
  reportedCount?: number
  /** The number of reprints that wait for an operator's decision. */
  waitingCount?: number
  /** The spoiled attempt of each document for which a reprint was requested. */
  reprintsAsked?: Record<string, number>
  recalls?: RecallAnswer[]
  postings?: PostingRecord[]
  crashes?: CrashPoint[]
  finishedAt?: string
}

export type RecallAnswer = {
  recallId: string
  stopped: string[]
  tooLate: string[]
  answeredAt?: string
}

export type PostingRecord = {
  postingKey: string
  handoverAt: string
  documentIds: string[]
  /** True if the platform had lost an earlier posting of the documents. */
  isRepeat?: boolean
  confirmedAt?: string
  /** When the factory reported the letters of this posting that came back. */
  returnsToldAt?: string
}

/** A run in progress. */
export type RunInHand = {
  readonly batchNumber: string
  /** The record as saved on disk. */
  readonly record: RunRecord
  readonly journal: EventJournal
  save(changes: Partial<RunRecord>): Promise<void>
  close(): Promise<void>
}

export type RunBook = {
  /** Opens a run where work on it stopped, or with a new key if it is new. */
  take(batchNumber: string): Promise<RunInHand>
  knows(batchNumber: string): boolean
  listUnfinished(): string[]
  /** Whether a document of a known run may still be in the house: its run is unfinished, or the document is held. */
  isAnyInHouse(): boolean
}

/**
 * Opens the records: a file for each run, with a journal beside it. A record is on disk before the call that it
 * concerns.
 */
export async function openRunBook(directory: string): Promise<RunBook> {
  await mkdir(directory, { recursive: true })
  const known = new Map<string, 'unfinished' | 'held' | 'finished'>()
  for (const name of (await readdir(directory)).filter((file) => file.endsWith('.json')).sort()) {
    const batchNumber = name.slice(0, -'.json'.length)
    const record = await read(batchNumber)
    known.set(batchNumber, record ? standingOf(record) : 'unfinished')
  }

  async function read(batchNumber: string): Promise<RunRecord | undefined> {
    try {
      return JSON.parse(await readFile(pathOf(batchNumber, 'json'), 'utf8')) as RunRecord
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
      throw error
    }
  }

  async function write(batchNumber: string, record: RunRecord): Promise<void> {
    const path = pathOf(batchNumber, 'json')
    await writeFile(`${path}.part`, JSON.stringify(record), { flush: true })
    await rename(`${path}.part`, path)
    known.set(batchNumber, standingOf(record))
  }

  function pathOf(batchNumber: string, ending: 'json' | 'ndjson'): string {
    if (!/^[A-Za-z0-9-]{1,50}$/.test(batchNumber)) throw new Error('Not a batch number')
    return join(directory, `${batchNumber}.${ending}`)
  }

  return {
    take: async (batchNumber) => {
      const found = await read(batchNumber)
      let record = found ?? { claimKey: randomUUID() }
      if (!found) await write(batchNumber, record)
      const path = pathOf(batchNumber, 'ndjson')
      const journal = await openEventJournal(path, record.reportedCount ?? 0)
      return {
        batchNumber,
        get record() {
          return record
        },
        journal,
        save: async (changes) => {
          const changed = { ...record, ...changes }
          await write(batchNumber, changed)
          record = changed
        },
        close: () => journal.close(),
      }
    },
    knows: (batchNumber) => known.has(batchNumber),
    listUnfinished: () =>
      [...known].flatMap(([name, state]) => (state === 'unfinished' ? name : [])),
    isAnyInHouse: () => [...known.values()].some((state) => state !== 'finished'),
  }
}

function standingOf(record: RunRecord): 'unfinished' | 'held' | 'finished' {
  if (!record.finishedAt) return 'unfinished'
  return isAnyHeld(record) ? 'held' : 'finished'
}

export function isAnyHeld({ orders = {} }: RunRecord): boolean {
  return Object.values(orders).some(({ outcome }) => outcome === 'hold')
}
