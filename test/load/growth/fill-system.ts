import type pg from 'pg'
import { makeLetterTable, nameLetters, saveLetters, saveRuns } from './letter-rows.ts'

const lettersPerChunk = 25_000
const chunksPerLine = 10
/** Closed runs, however many letters there are, so that a list of runs has full pages in a small system too. */
const closedRuns = 200
const closedRunDocumentsMin = 20

export type Filling = {
  finished: number
  live: number
  signal: AbortSignal
  tell(line: string): void
}

/**
 * Fills the tables of letters by set-based statements, as they are after months. The letters belong to all LETTER
 * contracts in turn. One finished letter in 33 is rejected, and the others are despatched in closed runs. Finished
 * letters have a callback and half of all have a file. Live letters are in released, open and claimed runs, wait for
 * their day, are held or parked.
 */
export async function fillSystem(pool: pg.Pool, filling: Filling): Promise<void> {
  const { finished, live, signal, tell } = filling
  const letters = finished + live
  const runDocuments = Math.max(closedRunDocumentsMin, Math.ceil(finished / closedRuns))
  await withoutTriggers(pool, async (client) => {
    await client.query(makeLetterTable)
    for (let first = 1; first <= letters; first += lettersPerChunk) {
      signal.throwIfAborted()
      if ((first - 1) % (chunksPerLine * lettersPerChunk) === 0) {
        tell(`saving letters: ${told(first - 1)} of ${told(letters)}`)
      }
      const last = Math.min(letters, first + lettersPerChunk - 1)
      await client.query(nameLetters, [first, last, finished, live, runDocuments])
      for (const statement of saveLetters) await client.query(statement)
      await client.query('truncate letter')
    }
    for (const statement of saveRuns) await client.query(statement)
    await client.query('drop table letter')
    signal.throwIfAborted()
    await client.query('vacuum analyze')
  })
}

/**
 * Runs the work on a connection that fires no triggers, checks no foreign keys and does not wait for the disk. The
 * connection is closed afterwards.
 */
export async function withoutTriggers(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<void>,
): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query('set session_replication_role = replica')
    await client.query('set synchronous_commit = off')
    await work(client)
  } finally {
    client.release(true)
  }
}

export function told(count: number): string {
  return count.toLocaleString('en-GB')
}
