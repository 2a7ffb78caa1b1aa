import { randomUUID } from 'node:crypto'
import { insertPosting } from '@despatch/store/posting/postings'
import type { SomePrintRuns } from '@despatch/testing/some-print-runs'
import type { anAdministration } from '../an-administration.ts'

export type SmallWorld = Awaited<ReturnType<typeof aSmallWorld>>

/** A few letters in one run, what comes of both, and who acts on them. */
export async function aSmallWorld(
  administration: Awaited<ReturnType<typeof anAdministration>>,
  runs: SomePrintRuns,
  { letters }: { letters: number },
) {
  const { pool, db } = runs
  const { keys, ids } = await runs.anOpenRun(letters)
  const batchNumbers: string[] = []
  const column = async (statement: string, values: unknown[]): Promise<string[]> => {
    const { rows } = await pool.query<{ value: string }>(statement, values)
    return rows.map(({ value }) => value)
  }

  /** Lists every run that has or had one of the letters, oldest first. */
  async function listRuns(): Promise<{ batchNumber: string; state: string }[]> {
    const { rows } = await pool.query<{ batchNumber: string; state: string }>(
      `select batch_number as "batchNumber", state from print_run
       where batch_number in (select batch_number from print_run_document where print_job_key = any ($1))
       order by opened_at, batch_number`,
      [keys],
    )
    batchNumbers.splice(0, batchNumbers.length, ...rows.map(({ batchNumber }) => batchNumber))
    return rows
  }
  await listRuns()

  const listDocuments = (batchNumber: string) =>
    column(
      `select document_id as value from print_run_document
       where batch_number = $1 and removed_at is null and voided_at is null and outcome is null order by document_id`,
      [batchNumber],
    )

  return {
    runs,
    pool,
    db,
    keys,
    ids,
    batchNumbers,
    listRuns,
    listDocuments,
    providerUser: administration.ids.provider,
    as: (method: 'GET' | 'POST', path: string, body?: unknown) =>
      administration.as('operator', method, path, body),
    attemptOf: async (documentId: string): Promise<number> => {
      const [attempt] = await column(
        `select max(attempt) as value from print_run_document where document_id = $1`,
        [documentId],
      )
      return Number(attempt)
    },
    post: async (batchNumber: string) =>
      insertPosting(db, {
        providerId: 'north',
        postingKey: randomUUID(),
        requestHash: Buffer.alloc(32),
        carrier: 'Royal Mail',
        handoverAt: new Date(),
        despatchProperties: [],
        details: [],
        printRuns: [{ batchNumber }],
      }),
    listOpenRecalls: () =>
      column(
        `select id as value from recall_request where batch_number = any ($1) and state = 'OPEN'`,
        [batchNumbers],
      ),
    listWaitingReprints: () =>
      column(
        `select id::text as value from reprint where batch_number = any ($1) and state = 'WAITING'`,
        [batchNumbers],
      ),
    listOpenPostings: () =>
      column(
        `select id as value from posting join posting_run on posting_id = id
         where batch_number = any ($1) and confirmed_at is null`,
        [batchNumbers],
      ),
  }
}

/** Lists the states that runs, recalls, reprints and letters of the world are in. */
export async function readStates({
  pool,
  keys,
  batchNumbers,
  listRuns,
}: SmallWorld): Promise<string[]> {
  await listRuns()
  const { rows } = await pool.query<{ state: string }>(
    `select 'run ' || state as state from print_run where batch_number = any ($1)
     union select 'recall ' || state from recall_request where batch_number = any ($1)
     union select 'reprint ' || state from reprint where batch_number = any ($1)
     union select 'posting ' || case when confirmed_at is null then 'saved' else 'confirmed' end
       from posting join posting_run on posting_id = id where batch_number = any ($1)
     union select 'letter ' || case when deleted_at is not null then 'deleted'
         when held_at is not null then 'held' else status end from print_job where key = any ($2)
     order by 1`,
    [batchNumbers, keys],
  )
  return rows.map(({ state }) => state)
}
