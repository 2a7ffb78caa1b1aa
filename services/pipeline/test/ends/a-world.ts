import { hash, randomUUID } from 'node:crypto'
import { fileKey } from '@despatch/object-store/keys'
import { transact } from '@despatch/postgres/transact'
import { insertProvider } from '@despatch/store/access/consumers'
import { openDatabase, type Tx } from '@despatch/store/database'
import { saveItemEvents } from '@despatch/store/item-event/item-events'
import type { ReportedEvent } from '@despatch/store/item-event/read'
import { saveConfirmation } from '@despatch/store/posting/confirm'
import { insertPosting } from '@despatch/store/posting/postings'
import type { Submission } from '@despatch/store/print-job/submissions'
import { saveAcknowledgement } from '@despatch/store/print-run/acknowledge'
import { saveClaim } from '@despatch/store/print-run/claim'
import { saveClose } from '@despatch/store/print-run/close'
import { findFrozenManifest } from '@despatch/store/print-run/manifest'
import { answerRecall } from '@despatch/store/recall/answer'
import { recallDocuments } from '@despatch/store/recall/request'
import { aKeptLog } from '@despatch/testing/a-kept-log'
import { gatherAndRelease } from '@despatch/testing/gather-and-release'
import { asService } from '@despatch/testing/service-logins'
import sharp from 'sharp'
import { aPipeline } from '../a-pipeline.ts'
import { createMarks, type Mark } from './marks.ts'

export type World = Awaited<ReturnType<typeof aWorld>>
/** A letter that a pipeline has checked. */
export type Letter = { mark: Mark; key: string }
export type Run = { batchNumber: string; documentIds: string[]; providerId: string }

const noHash = Buffer.alloc(32)
/** The pipeline's own loops gather nothing that a test builds runs of. */
const never = { DESPATCH_SWEEP_INTERVAL_MS: '600000', DESPATCH_PRINT_RUN_AGE_MS: '86400000' }

/** A pipeline, a provider with two sites, and the steps of consumers, operators and the provider on marked letters. */
export async function aWorld() {
  const { log, lines } = aKeptLog('pipeline', { level: 'trace' })
  const pipeline = await aPipeline(undefined, never, log)
  const { consumer, objects } = pipeline
  const { db, pool } = pipeline.database
  const own = openDatabase(asService(pipeline.url, 'pipeline'), { name: 'own', connectionsMax: 4 })
  await insertProvider(db, { id: 'north', name: 'North', printLocations: ['NORTH', 'SOUTH'] })
  // a run is moved there, and nothing else
  await pool.query(`update print_site set share = 0 where print_location = 'SOUTH'`)
  const marks = createMarks()
  const act = <R>(work: (tx: Tx) => Promise<R>) => transact(db, work)

  /** A picture with the name in its description. */
  const aPicture = (mark: Mark) =>
    sharp({ create: { width: 40, height: 30, channels: 3, background: 'navy' } })
      .withExif({ IFD0: { ImageDescription: mark.personal } })
      .jpeg()
      .toBuffer()

  /** Submits a letter with the name in each field that its consumer may fill. */
  async function submit(mark: Mark, detail: Partial<Submission> = {}): Promise<string> {
    const { personal, id } = mark
    const key = await pipeline.submit({
      id,
      correlationId: `trail-${id}`,
      idempotencyKey: `once-${id}`,
      standardParams: {
        jobType: 'LETTER',
        templateReference: 'LETTER',
        businessIdentifier: `case-${personal}`,
        recipientName: `Ms ${personal}`,
        address: { unstructuredAddress: { line1: `1 ${personal} Road`, postcode: 'AB1 2CD' } },
        handlingInstruction: { line1: `${personal} by hand` },
      },
      customParams: [{ key: `about-${personal}`, value: `${personal} owes nothing` }],
      callbackParams: { retryParams: { enabled: true } },
      callbackDestinationSealed: Buffer.from(`https://a.example/${personal}`).toString('hex'),
      callbackOrigin: `https://${id}.example`,
      unknownMembers: [`${personal}Name`],
      ...detail,
    })
    // only the print run that its scenario builds may take it
    await pool.query(`update print_job set route_after = now() + interval '1 day' where key = $1`, [
      key,
    ])
    return key
  }

  async function anInlineFile(mark: Mark) {
    const bytes = await aPicture(mark)
    const sha256 = hash('sha256', bytes)
    await objects.put(fileKey(sha256), bytes, 'image/jpeg')
    return {
      fileId: `photo-${mark.personal}`,
      source: 'custom-param' as const,
      sha256,
      bytes: bytes.length,
      mediaType: 'image/jpeg',
    }
  }

  /** Gathers these letters, and no others, into a run that is offered. */
  async function aRun(letters: readonly Letter[]): Promise<Run> {
    const keys = letters.map(({ key }) => key)
    await pool.query('update print_job set route_after = null where key = any ($1)', [keys])
    await gatherAndRelease(db, { runAgeMs: 0, documentsMax: 1_000, jobsMax: 1_000 })
    const { rows } = await pool.query<{ batch_number: string; document_id: string }>(
      `select batch_number, document_id from print_run_document
       where print_job_key = any ($1) and removed_at is null order by document_id`,
      [keys],
    )
    if (rows.length !== keys.length) throw new Error(`Gathered ${rows.length} of ${keys.length}`)
    const batchNumber = rows[0]!.batch_number
    const documentIds = rows.map(({ document_id }) => document_id)
    return { batchNumber, documentIds, providerId: 'north' }
  }

  async function claim({ batchNumber, providerId }: Run): Promise<void> {
    const request = { claimKey: `claim ${batchNumber}`, requestHash: noHash, leaseSeconds: 900 }
    const outcome = await saveClaim(db, { providerId, batchNumber, ...request }, (run) =>
      Buffer.from(JSON.stringify(run)),
    )
    if (outcome.kind !== 'claimed') throw new Error(`Not claimed: ${outcome.kind}`)
  }

  async function acknowledge(
    run: Run,
    answer: { refusals?: { documentId: string; comment: string }[]; refusal?: string } = {},
  ): Promise<void> {
    const { documentCount, sheetCount, manifestDigest } = (await findFrozenManifest(db, run))!
    const counts = { documentCount, sheetCount, manifestDigest, refusals: [], ...answer }
    const outcome = await saveAcknowledgement(db, { ...run, requestHash: noHash, ...counts })
    if (outcome.kind !== 'acknowledged') throw new Error(`Not acknowledged: ${outcome.kind}`)
  }

  async function anAcknowledgedRun(letters: readonly Letter[]): Promise<Run> {
    const run = await aRun(letters)
    await claim(run)
    await acknowledge(run)
    return run
  }

  async function report(
    run: Run,
    events: readonly (Pick<ReportedEvent, 'documentId' | 'type'> & { reason?: string })[],
    attempt = 1,
  ): Promise<void> {
    const outcome = await saveItemEvents(db, {
      ...run,
      events: events.map((event) => ({
        eventId: randomUUID(),
        eventHash: noHash,
        attempt,
        occurredAt: new Date(),
        reasonCode: 'S01',
        failureComment: event.reason,
        ...(event.reason && { despatchProperties: [{ key: 'receivedBy', value: event.reason }] }),
        ...event,
      })),
    })
    if (outcome.kind !== 'reported') throw new Error(`Not reported: ${outcome.kind}`)
  }

  /** Saves a posting of all documents that can be posted, with the name in what its provider may write. */
  async function savePosting(run: Run, mark: Mark, documentIds?: string[]): Promise<string> {
    const outcome = await insertPosting(db, {
      providerId: run.providerId,
      postingKey: randomUUID(),
      requestHash: noHash,
      printRuns: [{ batchNumber: run.batchNumber, documentIds }],
      carrier: 'A carrier',
      handoverAt: new Date(),
      despatchProperties: [{ key: 'collectedBy', value: 'A van' }],
      details: run.documentIds.slice(0, documentIds?.length ?? 1).map((documentId) => ({
        documentId,
        despatchProperties: [{ key: 'receivedBy', value: mark.personal }],
      })),
    })
    if (outcome.kind !== 'posted') throw new Error(`Not posted: ${outcome.kind}`)
    return outcome.posting.postingId
  }

  async function post(run: Run, mark: Mark, documentIds?: string[]): Promise<void> {
    const postingId = await savePosting(run, mark, documentIds)
    await saveConfirmation(db, { providerId: run.providerId, postingId })
  }

  async function recall(run: Run, tooLate: 'all' | readonly string[] | 'unanswered' = []) {
    const { batchNumber, providerId } = run
    const asked = await act((tx) =>
      recallDocuments(tx, { batchNumber, reason: 'wrong enclosure', actor: 'operator' }),
    )
    if (asked.kind === 'recalled' || tooLate === 'unanswered') return
    if (asked.kind !== 'asked') throw new Error(`Not recalled: ${asked.kind}`)
    const { recallId } = asked
    await answerRecall(db, { providerId, recallId, answerHash: noHash, tooLate })
  }

  async function close({ providerId, batchNumber }: Run): Promise<void> {
    const outcome = await saveClose(db, { providerId, batchNumber })
    if (outcome.kind !== 'closed') throw new Error(`Not closed: ${outcome.kind}`)
  }

  return {
    pipeline,
    consumer,
    objects,
    db,
    pool,
    own,
    log,
    lines,
    marks,
    act,
    submit,
    aPicture,
    anInlineFile,
    aRun,
    claim,
    acknowledge,
    anAcknowledgedRun,
    report,
    savePosting,
    post,
    recall,
    close,
    stop: async () => {
      await own.close()
      await pipeline.close()
    },
  }
}
