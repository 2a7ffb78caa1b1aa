import { hash, randomBytes } from 'node:crypto'
import { openDatabase } from '@despatch/store/database'
import { savePrintJobDeletion } from '@despatch/store/print-job/delete-print-job'
import { saveSubmissions } from '@despatch/store/print-job/submissions'
import { saveAcknowledgement } from '@despatch/store/print-run/acknowledge'
import { saveClaim } from '@despatch/store/print-run/claim'
import { findFrozenManifest } from '@despatch/store/print-run/manifest'
import { eventually } from './eventually.ts'
import { gatherAndRelease } from './gather-and-release.ts'
import { makePending } from './make-pending.ts'
import { aSubmission, insertConsumer } from './print-job-builders.ts'

export type SomePrintRuns = Awaited<ReturnType<typeof somePrintRuns>>

/** Makes print runs of the provider `north` in a test database, with the steps of the pipeline and the provider. */
export async function somePrintRuns(url: string) {
  const { db, pool, close } = openDatabase(url, { name: 'runs', connectionsMax: 4 })
  const consumer = await insertConsumer(db)

  /** Makes an open run with this many letters. */
  async function anOpenRun(letters = 1) {
    const submissions = Array.from({ length: letters }, () => aSubmission(consumer))
    await saveSubmissions(pool, submissions)
    const keys = submissions.map(({ key }) => key)
    await accept(keys)
    // a pass leaves out letters that a pipeline beside the test has locked
    const rows = await eventually(
      async () => {
        await gather({ runAgeMs: 3_600_000 })
        const { rows: documents } = await pool.query<{ batch_number: string; document_id: string }>(
          `select batch_number, document_id from print_run_document
           where print_job_key = any ($1::uuid[]) order by document_id`,
          [keys],
        )
        return documents.length === letters && documents
      },
      { message: 'the letters are gathered' },
    )
    const batchNumber = rows[0]!.batch_number
    const documentIds = rows.map(({ document_id }) => document_id)
    return {
      batchNumber,
      documentIds,
      keys,
      ids: submissions.map(({ id }) => id),
    }
  }

  /** Makes saved print jobs PENDING, as the stages do. */
  async function accept(keys: readonly string[]): Promise<void> {
    const documentSha256 = hash('sha256', randomBytes(16))
    const made = { documentSha256, documentBytes: 10, documentPages: 2 }
    await makePending(db, ...keys.map((key) => ({ key, made })))
  }

  const gather = ({ runAgeMs = 0 } = {}) =>
    gatherAndRelease(db, { runAgeMs, documentsMax: 10_000, jobsMax: 10_000 })

  async function aReleasedRun(letters = 1) {
    const run = await anOpenRun(letters)
    // a pass leaves out a run that a pipeline beside the test has locked
    await eventually(
      async () => {
        await gather()
        const { rows } = await pool.query<{ state: string }>(
          'select state from print_run where batch_number = $1',
          [run.batchNumber],
        )
        return rows[0]!.state === 'RELEASED'
      },
      { message: 'the run is released' },
    )
    return run
  }

  async function aClaimedRun(letters = 1) {
    const run = await aReleasedRun(letters)
    await claim('north', run.batchNumber)
    return run
  }

  async function anAcknowledgedRun(letters = 1) {
    const run = await aClaimedRun(letters)
    await acknowledge('north', run.batchNumber)
    return run
  }

  function claim(
    providerId: string,
    batchNumber: string,
    { claimKey = `claim ${batchNumber}` } = {},
  ) {
    const request = { claimKey, requestHash: Buffer.alloc(32), leaseSeconds: 900 }
    return saveClaim(db, { providerId, batchNumber, ...request }, (run) =>
      Buffer.from(JSON.stringify(run)),
    )
  }

  /** Makes a run that its provider refused as a whole. Its print jobs are still in production. */
  async function aRefusedRun(letters = 1) {
    const run = await aClaimedRun(letters)
    await acknowledge('north', run.batchNumber, { refusal: 'The press is on fire' })
    return run
  }

  async function acknowledge(
    providerId: string,
    batchNumber: string,
    refused: { refusal?: string } = {},
  ) {
    const ref = { providerId, batchNumber }
    const manifest = await findFrozenManifest(db, ref)
    if (!manifest) throw new Error(`Nobody has claimed ${batchNumber}`)
    const { documentCount, sheetCount, manifestDigest } = manifest
    const counts = { documentCount, sheetCount, manifestDigest, refusals: [] }
    return saveAcknowledgement(db, { ...ref, requestHash: Buffer.alloc(32), ...counts, ...refused })
  }

  async function statuses(keys: readonly string[]): Promise<[status: string, comment: string][]> {
    const { rows } = await pool.query(
      `select status, comment from print_job where key = any ($1::uuid[]) order by status, key`,
      [keys],
    )
    return rows.map(({ status, comment }) => [status, comment])
  }

  return {
    pool,
    consumer,
    accept,
    anOpenRun,
    aReleasedRun,
    aClaimedRun,
    anAcknowledgedRun,
    aRefusedRun,
    claim,
    acknowledge,
    gather,
    statuses,
    deleteJob: (id: string) => savePrintJobDeletion(db, consumer.consumerId, id),
    db,
    close,
  }
}
