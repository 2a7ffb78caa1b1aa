import { randomUUID } from 'node:crypto'
import type { StandardParams } from '@despatch/domain/print-job/params'
import {
  type Capabilities,
  type ProductionCalendar,
  unrestrictedCapabilities,
} from '@despatch/domain/print-run/capabilities'
import { insertProvider } from '@despatch/store/access/consumers'
import { savePrintJobDeletion } from '@despatch/store/print-job/delete-print-job'
import { saveSubmissions } from '@despatch/store/print-job/submissions'
import { aDatabase } from '@despatch/testing/a-database'
import { aMade, makePending } from '@despatch/testing/make-pending'
import {
  aSubmission,
  insertConsumer,
  someStandardParams,
} from '@despatch/testing/print-job-builders'
import { createGathering } from '../src/print-run/gather.ts'
import { releaseNextPrintRun } from '../src/print-run/release.ts'

export type PrintFloor = Awaited<ReturnType<typeof aPrintFloor>>

export type Letter = {
  sheets?: number
  postcode?: string
  params?: Partial<StandardParams>
  /** Default: a document of its own. */
  documentSha256?: string
}

/** A cut-off every day at midnight in London, so that a test does not meet a cut-off by accident. */
export const everyMidnight: ProductionCalendar = {
  weekdays: [1, 2, 3, 4, 5, 6, 7],
  bankHolidays: 'none',
  closedOn: [],
  cutOff: '00:00',
  productionDays: 1,
  classes: [],
}

/** A separate database in which tests build print runs directly. */
export async function aPrintFloor() {
  const database = await aDatabase({ connectionsMax: 8 })
  const { db, pool } = database
  const own = database.openAs('pipeline')
  const consumer = await insertConsumer(db)

  /** Adds a provider with one site, which can do everything except what `site` excludes. */
  async function addProvider(
    id: string,
    site: { share?: number; can?: Partial<Capabilities>; awaySecondsMax?: number } = {},
  ): Promise<void> {
    await insertProvider(db, { id, name: id, printLocations: [id.toUpperCase()] })
    await changeSite(id, site)
  }

  async function changeSite(
    providerId: string,
    site: {
      share?: number
      enabled?: boolean
      can?: Partial<Capabilities>
      awaySecondsMax?: number
    },
  ): Promise<void> {
    const { share, enabled, can, awaySecondsMax } = site
    await db
      .updateTable('print_site')
      .set({
        ...(share !== undefined && { share }),
        ...(enabled !== undefined && { enabled }),
        ...(can && { capabilities: JSON.stringify({ ...unrestrictedCapabilities, ...can }) }),
        provider_id: providerId,
      })
      .where('provider_id', '=', providerId)
      .execute()
    if (awaySecondsMax === undefined) return
    await pool.query(
      'update provider set away_seconds_max = $2, last_seen_at = clock_timestamp() where id = $1',
      [providerId, awaySecondsMax],
    )
  }

  async function addPending(...letters: Letter[]): Promise<{ key: string; id: string }[]> {
    const submissions = letters.map(({ params }) =>
      aSubmission(consumer, { standardParams: { ...someStandardParams, ...params } }),
    )
    await saveSubmissions(pool, submissions)
    const made = letters.map(({ sheets = 1, postcode = 'AB1 2CD', documentSha256 }, index) => ({
      key: submissions[index]!.key,
      made: {
        printableAddress: { ...aMade.printableAddress, ...(postcode !== '' && { postcode }) },
        documentSha256: documentSha256 ?? randomUUID().replaceAll('-', '').repeat(2),
        documentPages: sheets,
        documentSheets: sheets,
      },
    }))
    await makePending(db, ...made)
    return submissions.map(({ key, id }) => ({ key, id }))
  }

  /** Inserts `count` print jobs of one sheet, without their history. */
  async function addManyPending(count: number): Promise<void> {
    await pool.query(
      `insert into print_job (key, consumer_id, id, status, contract_id, standard_params, callback_statuses,
         correlation_id, request_fingerprint, printable_address, document_sha256, document_bytes, document_pages,
         document_sheets, document_number)
       select gen_random_uuid(), $1, gen_random_uuid()::text, 'PENDING', $2, $3, '{}', 'many', '', '{"postcode":"AB1 2CD"}',
         decode(repeat('ab', 32), 'hex'), 10, 1, 1, nextval('document_number')
       from generate_series(1, $4)`,
      [consumer.consumerId, consumer.contractId, JSON.stringify(someStandardParams), count],
    )
  }

  async function gatherAll({
    runAgeMs,
    documentsMax = 1_000,
  }: {
    runAgeMs: number
    documentsMax?: number
  }): Promise<void> {
    const gather = createGathering({ db: own.db, runAgeMs, documentsMax })
    while ((await gather()) === 'again');
    while (
      (await releaseNextPrintRun({ db: own.db, objects: { put: async () => {} } })) === 'again'
    );
  }

  async function listRuns() {
    const { rows } = await pool.query(`
      select run.provider_id as provider, print_location as location, despatch_method as method, format, state,
        count(document.document_id) filter (where document.removed_at is null) as documents
      from print_run run left join print_run_document document using (batch_number)
      group by run.batch_number order by run.batch_number`)
    return rows
  }

  /** Returns the print jobs of the documents to be printed, in order. */
  async function listHeld(): Promise<string[]> {
    const { rows } = await pool.query(
      'select print_job_key as key from print_run_document where removed_at is null order by 1',
    )
    return rows.map(({ key }) => key)
  }

  return {
    database,
    own,
    consumer,
    addProvider,
    changeSite,
    addPending,
    addManyPending,
    gatherAll,
    listRuns,
    listHeld,
    deleteJob: (id: string) => savePrintJobDeletion(db, consumer.consumerId, id),
    close: database.close,
  }
}
