import { randomUUID } from 'node:crypto'
import type { ItemEventType } from '@despatch/domain/print-run/item-event'
import { saveItemEvents } from '@despatch/store/item-event/item-events'
import { saveConfirmation } from '@despatch/store/posting/confirm'
import { saveAcknowledgement } from '@despatch/store/print-run/acknowledge'
import { saveClose } from '@despatch/store/print-run/close'
import { findFrozenManifest } from '@despatch/store/print-run/manifest'
import { answerRecall } from '@despatch/store/recall/answer'
import { saveReprintRequests } from '@despatch/store/reprint/reprints'
import type { SmallWorld } from './small-world.ts'

const hash = Buffer.alloc(32)

/** Something that a provider, a consumer, an operator or the clock does. Refusals are part of a walk, so they are ignored. */
type Step = (world: SmallWorld) => Promise<unknown>

/** Does it in each run that there is. */
const inEachRun =
  (act: (world: SmallWorld, batchNumber: string) => Promise<unknown>): Step =>
  async (world) => {
    for (const { batchNumber } of await world.listRuns()) await act(world, batchNumber)
  }

const acknowledging = (refuse: (documentIds: string[]) => object) =>
  inEachRun(async ({ db, listDocuments }, batchNumber) => {
    const ref = { providerId: 'north', batchNumber }
    const manifest = await findFrozenManifest(db, ref)
    if (!manifest) return
    const { documentCount, sheetCount, manifestDigest } = manifest
    const counts = { documentCount, sheetCount, manifestDigest, refusals: [] }
    const documentIds = await listDocuments(batchNumber)
    await saveAcknowledgement(db, { ...ref, requestHash: hash, ...counts, ...refuse(documentIds) })
  })
const refusalsOf = (documentIds: readonly string[]) => ({
  refusals: documentIds.map((documentId) => ({ documentId, comment: 'cannot be printed' })),
})

const reporting = (type: ItemEventType, count: number) =>
  inEachRun(async ({ db, listDocuments, attemptOf }, batchNumber) => {
    const documentIds = (await listDocuments(batchNumber)).slice(0, count)
    const events = await Promise.all(
      documentIds.map(async (documentId) => ({
        eventId: randomUUID(),
        eventHash: hash,
        documentId,
        type,
        attempt: await attemptOf(documentId),
        occurredAt: new Date(),
        reasonCode: 'JAM',
      })),
    )
    await saveItemEvents(db, { providerId: 'north', batchNumber, events })
  })

const answering =
  (tooLate: 'all' | readonly string[]): Step =>
  async ({ db, listOpenRecalls }) => {
    for (const recallId of await listOpenRecalls()) {
      await answerRecall(db, { providerId: 'north', recallId, answerHash: hash, tooLate })
    }
  }

const deciding =
  (decision: 'authorise' | 'refuse'): Step =>
  async ({ as, listWaitingReprints }) => {
    for (const reprintId of await listWaitingReprints()) {
      await as('POST', `/reprints/${reprintId}/${decision}`, { reason: 'a walk' })
    }
  }

const onEachLetter =
  (action: 'hold' | 'release' | 'cancel', count: number): Step =>
  async ({ as, keys }) => {
    for (const key of keys.slice(0, count)) {
      await as('POST', `/print-jobs/${key}/${action}`, { reason: 'a walk' })
    }
  }

/** Every step of a walk. */
export const steps = {
  claim: inEachRun(({ runs }, batchNumber) => runs.claim('north', batchNumber)),
  acknowledge: acknowledging(() => ({})),
  'refuse one': acknowledging((documentIds) => refusalsOf(documentIds.slice(0, 1))),
  'refuse each': acknowledging(refusalsOf),
  'refuse the run': acknowledging(() => ({ refusal: 'The press is on fire' })),
  print: reporting('PRINTED', 9),
  'spoil one': reporting('SPOILED', 1),
  'fail one': reporting('FAILED', 1),
  'ask for a reprint': inEachRun(async ({ db, listDocuments, providerUser }, batchNumber) => {
    const [documentId] = await listDocuments(batchNumber)
    if (!documentId) return
    const documents = [{ documentId, reasonCode: 'JAM' }]
    const ref = { providerId: 'north', batchNumber }
    await saveReprintRequests(db, { ...ref, requestedBy: providerUser, documents })
  }),
  'save a posting': inEachRun(({ post }, batchNumber) => post(batchNumber)),
  'confirm the postings': async ({ db, listOpenPostings }) => {
    for (const postingId of await listOpenPostings()) {
      await saveConfirmation(db, { providerId: 'north', postingId })
    }
  },
  'stop the recalled': answering([]),
  'recalled too late': answering('all'),
  close: inEachRun(({ db }, batchNumber) => saveClose(db, { providerId: 'north', batchNumber })),
  'the consumer deletes one': ({ runs, ids }) => runs.deleteJob(ids[0]!),
  'hold one': onEachLetter('hold', 1),
  'hold all': onEachLetter('hold', 9),
  'release all': onEachLetter('release', 9),
  'cancel one': onEachLetter('cancel', 1),
  recall: inEachRun(({ as }, batchNumber) =>
    as('POST', `/print-runs/${batchNumber}/recalls`, { all: true, reason: 'a walk' }),
  ),
  move: inEachRun(({ as }, batchNumber) =>
    as('POST', `/print-runs/${batchNumber}/move`, {
      providerId: 'north',
      printLocation: 'SOUTH',
      reason: 'a walk',
      nothingPrinted: true,
    }),
  ),
  'authorise reprints': deciding('authorise'),
  'refuse reprints': deciding('refuse'),
  'the lease ends': ({ pool, batchNumbers }) =>
    pool.query(
      'update print_run set lease_until = now() where batch_number = any ($1) and lease_until is not null',
      [batchNumbers],
    ),
  'gather and release': ({ runs }) => runs.gather(),
} as const satisfies Record<string, Step>

export type StepName = keyof typeof steps
export const stepNames = Object.keys(steps) as StepName[]
