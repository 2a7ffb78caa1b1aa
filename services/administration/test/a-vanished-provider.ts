import { randomUUID } from 'node:crypto'
import type { ItemEventType } from '@despatch/domain/print-run/item-event'
import { saveItemEvents } from '@despatch/store/item-event/item-events'
import { saveConfirmation } from '@despatch/store/posting/confirm'
import { insertPosting, type NewPosting } from '@despatch/store/posting/postings'
import { somePrintRuns } from '@despatch/testing/some-print-runs'
import { anAdministration } from './an-administration.ts'

const handoverAt = new Date('2026-01-31T17:30:00Z')

/** The provider `north` with its print runs, which stops working, and operators who act on behalf of the provider. */
export async function aVanishedProvider() {
  const administration = await anAdministration()
  const runs = await somePrintRuns(administration.url)
  const { pool, db } = runs

  const { asOperator: as } = administration
  const aPosting = (body: object = { all: true }) => ({
    postingKey: randomUUID(),
    carrier: 'Royal Mail',
    handoverAt: new Date(Date.now() - 3_600_000).toISOString(),
    reason: 'docket of the carrier',
    ...body,
  })

  /** Makes the provider silent since it claimed the run, a day ago. */
  async function vanish(batchNumber: string): Promise<void> {
    await pool.query(`update provider set last_seen_at = now() - interval '1 day'`)
    await pool.query(
      `update print_run set claimed_at = now() - interval '1 day', acknowledged_at = now() - interval '1 day'
       where batch_number = $1`,
      [batchNumber],
    )
    await pool.query(
      `update posting set created_at = now() - interval '1 day'
       where id in (select posting_id from posting_run where batch_number = $1)`,
      [batchNumber],
    )
  }

  async function anAbandonedRun(letters = 1) {
    const run = await runs.anAcknowledgedRun(letters)
    await vanish(run.batchNumber)
    return run
  }

  /** A run for which the provider saved a posting before it vanished. */
  async function aRunWithPosting(letters: number) {
    const run = await runs.anAcknowledgedRun(letters)
    const saved = await postByProvider(run.batchNumber)
    if (saved.kind !== 'posted') throw new Error(saved.kind)
    await vanish(run.batchNumber)
    return { ...run, postingId: saved.posting.postingId }
  }

  async function comeBack(): Promise<void> {
    await pool.query('update provider set last_seen_at = now()')
  }

  const postByProvider = (
    batchNumber: string,
    posting: Partial<NewPosting> = {},
    documentIds?: string[],
  ) =>
    insertPosting(db, {
      providerId: 'north',
      postingKey: `${batchNumber} whole`,
      carrier: 'Royal Mail',
      requestHash: Buffer.alloc(32),
      handoverAt,
      despatchProperties: [],
      details: [],
      ...posting,
      printRuns: [{ batchNumber, documentIds }],
    })

  const report = (
    batchNumber: string,
    events: readonly [documentId: string, ItemEventType, serialNumber?: string][],
  ) =>
    saveItemEvents(db, {
      providerId: 'north',
      batchNumber,
      events: events.map(([documentId, type, serialNumber]) => ({
        eventId: randomUUID(),
        eventHash: Buffer.alloc(32),
        occurredAt: new Date(),
        documentId,
        attempt: 1,
        type,
        serialNumber,
      })),
    })

  async function setDocument(documentId: string, assignment: string): Promise<void> {
    await pool.query(`update print_run_document set ${assignment} where document_id = $1`, [
      documentId,
    ])
  }

  async function recall(batchNumber: string, documentIds: string[]): Promise<string> {
    const asked = { documentIds, reason: 'no answer' }
    const { body } = await as('POST', `/print-runs/${batchNumber}/recalls`, asked)
    return body.recallId
  }

  /** Returns the postings on behalf of the provider in the audit log. */
  async function recordedOf(batchNumber: string) {
    const filters = `action=print-run.posted-in-stead&about=${batchNumber}`
    return (await administration.audited(filters)).map(({ actor, detail }) => ({ actor, detail }))
  }

  return {
    administration,
    runs,
    as,
    aPosting,
    anAbandonedRun,
    aRunWithPosting,
    comeBack,
    postByProvider,
    confirmByProvider: (postingId: string) =>
      saveConfirmation(db, { providerId: 'north', postingId }),
    report,
    setDocument,
    post: (batchNumber: string, body?: object) =>
      as('POST', `/print-runs/${batchNumber}/postings`, aPosting(body)),
    show: (batchNumber: string) => as('GET', `/print-runs/${batchNumber}`),
    recall,
    settle: (recallId: string, tooLate: string[]) =>
      as('POST', `/recalls/${recallId}/settle`, {
        ...(tooLate.length > 0 ? { tooLate } : { allStopped: true }),
        note: 'by telephone',
      }),
    recordedOf,
    statusesOf: async (keys: readonly string[]) =>
      (await runs.statuses(keys)).map(([status]) => status),
    close: async () => {
      await runs.close()
      await administration.close()
    },
  }
}
