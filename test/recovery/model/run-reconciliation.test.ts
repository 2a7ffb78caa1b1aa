import { randomUUID } from 'node:crypto'
import type { DocumentOutcome } from '@despatch/domain/print-run/document-progress'
import { itemEventTypes } from '@despatch/domain/print-run/item-event'
import { insertProvider } from '@despatch/store/access/consumers'
import { saveItemEvents } from '@despatch/store/item-event/item-events'
import { saveConfirmation } from '@despatch/store/posting/confirm'
import { insertPosting } from '@despatch/store/posting/postings'
import { saveClose } from '@despatch/store/print-run/close'
import { readReconciliationCounts } from '@despatch/store/print-run/reconciliation-counts'
import { answerRecall } from '@despatch/store/recall/answer'
import { recallDocuments } from '@despatch/store/recall/request'
import { decideReprint } from '@despatch/store/reprint/decide'
import { saveReprintRequests } from '@despatch/store/reprint/reprints'
import { cloneDatabase } from '@despatch/testing/clone-database'
import { shared } from '@despatch/testing/shared'
import { somePrintRuns } from '@despatch/testing/some-print-runs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { replayTimelines } from '../../model/replay-timelines.ts'
import { propertyRuns } from './property-runs.ts'
import { type RunAction, RunModel } from './run-model.ts'

const testDatabase = await shared(cloneDatabase())
const runs = await shared(somePrintRuns(testDatabase.url))
await insertProvider(runs.db, { id: 'north', name: 'North', printLocations: ['NORTH'] })
await runs.pool.query(`update print_site set reprints_free_max = 0, reprints_free_percent = 0`)

const providerId = 'north'
const documentCount = 3
const document = fc.nat(documentCount - 1)

const action: fc.Arbitrary<RunAction> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      name: fc.constant('report'),
      document,
      attempt: fc.constantFrom(1, 1, 1, 2, 2, 3),
      type: fc.constantFrom(...itemEventTypes, 'SPOILED', 'PRINTED'),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ name: fc.constantFrom('ask-reprint', 'ask-recall'), document }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      name: fc.constant('decide-reprint'),
      document,
      decision: fc.constantFrom('authorise', 'authorise', 'refuse'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ name: fc.constant('answer-recall'), document, isTooLate: fc.boolean() }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      name: fc.constant('post'),
      documents: fc.subarray([0, 1, 2], { minLength: 1 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ name: fc.constant('confirm'), posting: fc.nat(2) }) },
  { weight: 2, arbitrary: fc.constant({ name: 'close' }) },
)

/** A run in the database, with the results of the actions so far. */
class Run {
  readonly batchNumber: string
  readonly documentIds: readonly string[]
  readonly #postingIds: string[] = []
  readonly #recallIds = new Map<number, string>()

  constructor(given: { batchNumber: string; documentIds: readonly string[] }) {
    this.batchNumber = given.batchNumber
    this.documentIds = given.documentIds
  }

  async perform(given: RunAction): Promise<string> {
    switch (given.name) {
      case 'report':
        return this.#report(given)
      case 'ask-reprint':
        return this.#askReprint(given)
      case 'decide-reprint':
        return this.#decideReprint(given)
      case 'ask-recall':
        return this.#askRecall(given)
      case 'answer-recall':
        return this.#answerRecall(given)
      case 'post':
        return this.#post(given)
      case 'confirm':
        return this.#confirm(given)
      case 'close':
        return this.#close()
    }
  }

  #ref() {
    return { providerId, batchNumber: this.batchNumber }
  }

  async #report({ document: place, attempt, type }: Extract<RunAction, { name: 'report' }>) {
    const event = {
      eventId: randomUUID(),
      eventHash: Buffer.alloc(32),
      documentId: this.documentIds[place]!,
      attempt,
      type,
      occurredAt: new Date(),
    }
    const outcome = await saveItemEvents(runs.db, { ...this.#ref(), events: [event] })
    if (outcome.kind !== 'reported') return outcome.kind
    const verdict = outcome.verdicts[0]!
    return verdict.result === 'REFUSED' ? verdict.refusal : verdict.result
  }

  async #askReprint({ document: place }: { document: number }) {
    const documents = [{ documentId: this.documentIds[place]!, reasonCode: 'JAM' }]
    const request = { ...this.#ref(), requestedBy: runs.consumer.consumerId, documents }
    return (await saveReprintRequests(runs.db, request)).kind
  }

  async #decideReprint({
    document: place,
    decision,
  }: Extract<RunAction, { name: 'decide-reprint' }>) {
    const { rows } = await runs.pool.query<{ id: number }>(
      `select id from reprint where batch_number = $1 and document_id = $2 and state = 'WAITING'`,
      [this.batchNumber, this.documentIds[place]],
    )
    if (!rows[0]) return 'left'
    const reprintId = Number(rows[0].id)
    const decided = { reprintId, decision, actor: 'test', actorConsumerId: randomUUID() }
    return (await runs.db.transaction().execute((tx) => decideReprint(tx, decided))).kind
  }

  async #askRecall({ document: place }: { document: number }) {
    const { batchNumber } = this
    const documentIds = [this.documentIds[place]!]
    const asked = { batchNumber, documentIds, reason: 'test', actor: 'test' }
    const outcome = await runs.db.transaction().execute((tx) => recallDocuments(tx, asked))
    if (outcome.kind === 'asked') this.#recallIds.set(place, outcome.recallId)
    return outcome.kind
  }

  async #answerRecall({ document: place, isTooLate }: { document: number; isTooLate: boolean }) {
    const recallId = this.#recallIds.get(place)
    if (!recallId) return 'left'
    this.#recallIds.delete(place)
    const tooLate = isTooLate ? 'all' : []
    const answer = { providerId, recallId, answerHash: Buffer.alloc(32), tooLate } as const
    return (await answerRecall(runs.db, answer)).kind
  }

  async #post({ documents }: { documents: readonly number[] }) {
    const documentIds = documents.map((each) => this.documentIds[each]!)
    const outcome = await insertPosting(runs.db, {
      providerId,
      postingKey: randomUUID(),
      requestHash: Buffer.alloc(32),
      printRuns: [{ batchNumber: this.batchNumber, documentIds }],
      carrier: 'Royal Mail',
      handoverAt: new Date(),
      despatchProperties: [],
      details: [],
    })
    if (outcome.kind === 'posted') this.#postingIds.push(outcome.posting.postingId)
    return outcome.kind
  }

  async #confirm({ posting }: { posting: number }) {
    const postingId = this.#postingIds[posting]
    if (!postingId) return 'left'
    const confirmed = await saveConfirmation(runs.db, { providerId, postingId })
    return confirmed?.confirmedAt ? 'confirmed' : 'unconfirmed'
  }

  async #close() {
    const outcome = await saveClose(runs.db, this.#ref())
    return outcome.kind === 'unaccounted' ? `missing ${outcome.missing}` : outcome.kind
  }

  async state(): Promise<string> {
    const { rows } = await runs.pool.query(`select state from print_run where batch_number = $1`, [
      this.batchNumber,
    ])
    return rows[0].state
  }

  async documents() {
    const { rows } = await runs.pool.query(
      `select first_attempt as "firstAttempt", attempt, progress, outcome, status
       from print_run_document join print_job on key = print_job_key
       where print_run_document.batch_number = $1 order by print_run_document.document_id`,
      [this.batchNumber],
    )
    return rows
  }
}

class Command implements fc.AsyncCommand<RunModel, Run> {
  readonly action: RunAction

  constructor(given: RunAction) {
    this.action = given
  }

  check = () => true

  async run(model: RunModel, real: Run): Promise<void> {
    expect(await real.perform(this.action)).toBe(model.perform(this.action))
    expect(await readReconciliationCounts(runs.db, real.batchNumber)).toEqual(model.account())
    expect(await real.state()).toBe(model.state)
  }

  toString(): string {
    return JSON.stringify(this.action)
  }
}

const statusOf = (outcome: DocumentOutcome | null) =>
  outcome === null ? 'PRODUCTION' : outcome === 'DESPATCHED' ? 'DESPATCHED' : 'REJECTED'

test('after any events the counts of a run balance, and it is closed once no document is missing', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.commands([action.map((each) => new Command(each))], { size: '+1', maxCommands: 40 }),
      async (commands) => {
        const real = new Run(await runs.anAcknowledgedRun(documentCount))
        const model = new RunModel(documentCount)

        await fc.asyncModelRun(() => ({ model, real }), commands)

        expect(await real.documents()).toEqual(
          model.standings().map((each) => ({ ...each, status: statusOf(each.outcome) })),
        )
      },
    ),
    propertyRuns(12),
  )
  expect(await replayTimelines(runs)).toEqual([])
})
