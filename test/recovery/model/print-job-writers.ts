import { hash, randomUUID } from 'node:crypto'
import type { PrintJobStatus, Transition } from '@despatch/domain/print-job/status'
import { saveItemEvents } from '@despatch/store/item-event/item-events'
import { saveConfirmation } from '@despatch/store/posting/confirm'
import { insertPosting } from '@despatch/store/posting/postings'
import { cancelPrintJob } from '@despatch/store/print-job/delete-print-job'
import {
  holdOwnPrintJob,
  holdPrintJob,
  releaseOwnPrintJob,
  releasePrintJob,
} from '@despatch/store/print-job/hold'
import { letterKind } from '@despatch/store/print-job/letter-kind'
import type { ActionOutcome } from '@despatch/store/print-job/lock'
import { saveAddressOverride } from '@despatch/store/print-job/override-address'
import { type Made, movePrintJobs } from '@despatch/store/print-job/print-jobs'
import { recoverLostWork } from '@despatch/store/print-job/recover-lost'
import { redrivePrintJob } from '@despatch/store/print-job/redrive'
import { parkStep, postponeStep, retryStep } from '@despatch/store/print-job/steps'
import { saveSubmissions } from '@despatch/store/print-job/submissions'
import { aSubmission } from '@despatch/testing/print-job-builders'
import type { SomePrintRuns } from '@despatch/testing/some-print-runs'
import { withRoom } from '@despatch/testing/with-room'
import {
  type BatchLease,
  endBatch,
  giveUpBatches,
  renewBatch,
  takeBatch,
} from '@despatch/work/batch-lease'
import { createBatchChooser } from '@despatch/work/choose-batches'
import { formBatches } from '@despatch/work/form-batches'
import type { Placed } from '@despatch/work/kind'
import { wakeWaitingWork } from '@despatch/work/later'

/** What a worker writes for a letter. `release-and-accept` writes both statuses of a letter without files at once. */
export const stepWrites = [
  'release',
  'accept',
  'release-and-accept',
  'reject',
  'postpone',
  'wait',
  'interrupt',
  'retry',
  'park',
] as const
/** Passes of the scheduler and the sweep, the end of an outage, and queues that lose what they have. */
export const passes = [
  'form',
  'offer-again',
  'give-up',
  'return',
  'recover',
  'gather',
  'wipe',
] as const
export type PassName = (typeof passes)[number]

/** A worker takes the batch of a task that names the letter: the newest task, or the oldest. */
type Taking = { name: 'take'; letter: number; worker: number; task: 'newest' | 'oldest' }
type StepWrite = { name: (typeof stepWrites)[number]; letter: number; worker: number }
/** A worker renews its lease of the batch in which it took the letter, or ends that batch. */
type Hold = { letter: number; worker: number } & ({ name: 'renew' } | { name: 'end' })
type Decision = {
  name: 'hold' | 'release-hold' | 'delete'
  letter: number
  who: 'consumer' | 'operator'
}
type Operation = { name: 'lose-lease' | 'redrive' | 'override'; letter: number }
type Provision = { name: 'claim' | 'acknowledge' | 'fail' | 'despatch'; letter: number }

/** One write to a letter. `letter` is its index among the letters of a case. */
export type LetterAction = Taking | StepWrite | Hold | Decision | Operation | Provision
/** A write to a letter, or a pass over all letters. */
export type Action = LetterAction | { name: PassName }

/** The letters owe a callback for each of these statuses. */
export const owedStatuses: ReadonlySet<PrintJobStatus> = new Set([
  'VALIDATING',
  'PENDING',
  'DESPATCHED',
  'REJECTED',
])

/** A task in a queue: an offer of a batch with these letters. */
type Offer = { id: string; epoch: number; keys: readonly string[] }

/**
 * Letters in a database, the tasks in the queues, and what each worker believes to have: the epoch of each letter, and the
 * lease of the batch in which it took the letter.
 */
export type Letters = {
  runs: SomePrintRuns
  letters: readonly { key: string; id: string }[]
  tasks: Offer[]
  held: Map<string, { epoch: number; lease: BatchLease }>
}

/** Saves letters that owe callbacks. Letters of earlier cases are neither gathered nor processed. */
export async function someLetters(
  runs: SomePrintRuns,
  count: number,
  owed: Iterable<PrintJobStatus> = owedStatuses,
): Promise<Letters> {
  await runs.pool.query(`update print_job set route_after = 'infinity'`)
  await runs.pool.query('truncate letter_waiting, letter_later, letter_batch, letter_spent')
  // a worker has them for ever, so that nothing looks for their place
  await runs.pool.query(
    `insert into letter_batch (lane, queue, is_first, due_at, consumer_ids, subjects, leased_until, versions)
     select 'plain', 'letters', false, now(), '{}', array_agg(key), 'infinity', '{}' from print_job having count(*) > 0`,
  )
  const callbackStatuses = [...owed]
  const callbacks = { callbackParams: {}, callbackOrigin: 'https://example.com', callbackStatuses }
  const letters = Array.from({ length: count }, () => aSubmission(runs.consumer, callbacks))
  await saveSubmissions(runs.pool, letters)
  return { runs, letters, tasks: [], held: new Map() }
}

/** Carries an action out as the services do, and returns its result. */
export function perform(given: Letters, action: Action): Promise<string> {
  switch (action.name) {
    case 'take':
      return take(given, action)
    case 'renew':
    case 'end':
      return hold(given, action)
    case 'hold':
    case 'release-hold':
    case 'delete':
      return decide(given, action)
    case 'lose-lease':
    case 'redrive':
    case 'override':
      return operate(given, action)
    case 'claim':
    case 'acknowledge':
    case 'fail':
    case 'despatch':
      return provide(given, action)
    case 'form':
    case 'offer-again':
    case 'give-up':
    case 'return':
    case 'recover':
    case 'gather':
    case 'wipe':
      return pass(given, action.name)
    default:
      return write(given, action)
  }
}

const plenty = withRoom(letterKind, { ordinary: 1_000, slow: 1_000 })
const by = { actor: 'operator', reason: 'test' }
const provider = 'north'

async function take(
  { runs, letters, tasks, held }: Letters,
  { letter, worker, task }: Taking,
): Promise<string> {
  const naming = tasks.filter(({ keys }) => keys.includes(letters[letter]!.key))
  const offer = naming.at(task === 'newest' ? -1 : 0)
  const taken = offer && (await takeBatch(runs.db, letterKind, offer, 3_600))
  if (!taken) return 'left'
  for (const { key, epoch } of taken.subjects) {
    const place = letters.findIndex((each) => each.key === key)
    held.set(`${worker} ${place}`, { epoch, lease: taken.lease })
  }
  return 'done'
}

async function hold({ runs: { db, pool }, held }: Letters, { name, letter, worker }: Hold) {
  const holding = held.get(`${worker} ${letter}`)
  if (!holding) return 'left'
  if (name === 'renew')
    return (await renewBatch(db, letterKind, holding.lease, 3_600)) ? 'done' : 'left'
  const { id, epoch } = holding.lease
  const { rows } = await pool.query<Placed>(
    'select subjects, versions from letter_batch where id = $1 and epoch = $2 and leased_until is not null',
    [id, epoch],
  )
  const [batch] = rows
  // a worker ends a batch once it knows an outcome of each letter
  const left = batch && (await db.transaction().execute((tx) => letterKind.read(tx, batch)))
  if (left?.length !== 0) return 'left'
  await endBatch(db, letterKind, holding.lease)
  return 'done'
}

async function write({ runs: { db }, letters, held: holdings }: Letters, given: StepWrite) {
  const { name, letter, worker } = given
  const holding = holdings.get(`${worker} ${letter}`)
  if (!holding) return 'left'
  const held = { key: letters[letter]!.key, epoch: holding.epoch }
  return (await writeStep()) ? 'done' : 'left'

  async function writeStep(): Promise<boolean> {
    switch (name) {
      case 'postpone':
        return postponeStep(db, held, 0)
      case 'wait':
        return postponeStep(db, held, 3_600, { waitsFor: 'object-store' })
      case 'interrupt':
        return postponeStep(db, held, 0, { countsStart: true })
      case 'retry':
        return retryStep(db, held, { seconds: 0, failure: 'Error' })
      case 'park':
        return parkStep(db, held, 'Error')
      case 'release-and-accept':
        return move('accept', { releasedBy: 'quarantine' })
      default:
        return move(name)
    }
  }

  async function move(transition: Transition, options: { releasedBy?: string } = {}) {
    const made = transition === 'accept' ? { made: aDocument() } : {}
    const moved = await db
      .transaction()
      .execute((tx) =>
        movePrintJobs(tx, [{ ...held, ...made }], transition, { actor: 'pipeline', ...options }),
      )
    return moved.length === 1
  }
}

/** Returns what the stages produce for a letter. Each one is unique. */
export function aDocument(): Made {
  return {
    printableAddress: { line1: 'A', recipientLine1: 'B', recipientLine2: '', dps: null },
    documentSha256: hash('sha256', randomUUID()),
    documentBytes: 10,
    documentPages: 2,
    documentSheets: 1,
  }
}

const isDone = ({ kind }: ActionOutcome) => (kind === 'done' ? 'done' : 'left')

async function decide({ runs, letters }: Letters, { name, letter, who }: Decision) {
  const { db, consumer, deleteJob } = runs
  const { key, id } = letters[letter]!
  if (name === 'delete' && who === 'consumer') {
    return (await deleteJob(id)) === 'deleted' ? 'done' : 'left'
  }
  const own = { consumerId: consumer.consumerId, id }
  return db.transaction().execute(async (tx) => {
    if (name === 'delete') return isDone(await cancelPrintJob(tx, { key }, by))
    if (who === 'operator') {
      const change = name === 'hold' ? holdPrintJob : releasePrintJob
      return isDone(await change(tx, { key }, by))
    }
    return isDone(
      name === 'hold'
        ? await holdOwnPrintJob(tx, own, undefined)
        : await releaseOwnPrintJob(tx, own),
    )
  })
}

async function operate({ runs: { db, pool }, letters }: Letters, { name, letter }: Operation) {
  const { key } = letters[letter]!
  if (name === 'lose-lease') {
    await pool.query(
      `update letter_batch set leased_until = now() - interval '3 seconds'
       where leased_until is not null and leased_until <> 'infinity' and $1 = any (subjects)`,
      [key],
    )
    return 'done'
  }
  return db.transaction().execute(async (tx) => {
    if (name === 'redrive') return isDone(await redrivePrintJob(tx, { key }, by))
    const { rows } = await pool.query<{ sha256: string | null }>(
      `select encode(document_sha256, 'hex') as sha256 from print_job where key = $1`,
      [key],
    )
    const override = {
      addressee: {
        recipientName: 'B',
        address: { unstructuredAddress: { line1: 'A', line5: 'B', postcode: 'AB1 2CD' } },
      },
      made: aDocument(),
      producedAs: 'SECOND' as const,
      findings: [],
      replacesSha256: rows[0]!.sha256,
      comment: null,
    }
    return isDone(await saveAddressOverride(tx, { key }, override, by))
  })
}

async function pass(given: Letters, name: PassName): Promise<'done'> {
  const { runs } = given
  const { db, pool } = runs
  switch (name) {
    case 'form':
      await form(given)
      return 'done'
    case 'offer-again':
      await pool.query('update letter_batch set due_at = now()')
      await form(given)
      return 'done'
    case 'give-up':
      await giveUpBatches(db, letterKind)
      return 'done'
    case 'return':
      await wakeWaitingWork(db, letterKind, 'object-store', 10_000)
      return 'done'
    case 'recover':
      await recoverLostWork(db, { lettersMax: 10_000, untouchedSeconds: 0 })
      return 'done'
    case 'gather':
      await runs.gather()
      return 'done'
    case 'wipe':
      given.tasks.length = 0
      return 'done'
  }
}

/** Forms batches, and gives them to queues that keep every task. */
async function form({ runs: { db, pool }, tasks }: Letters): Promise<void> {
  const offers = await formBatches(db, plenty, {
    pausedQueues: [],
    ...createBatchChooser(letterKind),
  })
  const { rows } = await pool.query<{ id: string; keys: string[] }>(
    'select id, subjects as keys from letter_batch where id = any ($1::uuid[])',
    [offers.map(({ id }) => id)],
  )
  for (const { id, epoch } of offers) {
    // a worker may have taken the batch already
    const keys = rows.find((row) => row.id === id)?.keys ?? []
    tasks.push({ id, epoch, keys })
  }
}

/** Returns the run that a letter is in, and its document there. */
async function placeOf({ runs: { pool }, letters }: Letters, letter: number) {
  const { rows } = await pool.query<{ batchNumber: string; documentId: string; state: string }>(
    `select batch_number as "batchNumber", document_id as "documentId", state
     from print_run_document join print_run using (batch_number)
     where print_job_key = $1 and removed_at is null`,
    [letters[letter]!.key],
  )
  return rows[0]
}

async function provide(given: Letters, { name, letter }: Provision) {
  const { runs } = given
  const place = await placeOf(given, letter)
  if (!place) return 'left'
  const { batchNumber, documentId } = place
  if (name === 'claim') {
    if (place.state !== 'RELEASED') return 'left'
    const claimKey = `${batchNumber} ${randomUUID()}`
    const { kind } = await runs.claim(provider, batchNumber, { claimKey })
    return kind === 'claimed' ? 'done' : 'left'
  }
  if (name === 'acknowledge') {
    if (place.state !== 'CLAIMED') return 'left'
    const { kind } = await runs.acknowledge(provider, batchNumber)
    return kind === 'acknowledged' ? 'done' : 'left'
  }
  return name === 'fail'
    ? fail(runs, { batchNumber, documentId })
    : despatch(runs, { batchNumber, documentId })
}

type Place = { batchNumber: string; documentId: string }

async function fail({ db }: SomePrintRuns, { batchNumber, documentId }: Place) {
  const event = {
    eventId: randomUUID(),
    eventHash: Buffer.alloc(32),
    documentId,
    attempt: 1,
    type: 'FAILED',
    occurredAt: new Date(),
    failureComment: 'test',
  } as const
  const outcome = await saveItemEvents(db, { providerId: provider, batchNumber, events: [event] })
  return outcome.kind === 'reported' && outcome.verdicts[0]!.result === 'APPLIED' ? 'done' : 'left'
}

async function despatch({ db }: SomePrintRuns, { batchNumber, documentId }: Place) {
  const outcome = await insertPosting(db, {
    providerId: provider,
    postingKey: randomUUID(),
    requestHash: Buffer.alloc(32),
    printRuns: [{ batchNumber, documentIds: [documentId] }],
    carrier: 'Royal Mail',
    handoverAt: new Date(),
    despatchProperties: [],
    details: [],
  })
  if (outcome.kind !== 'posted') return 'left'
  const { postingId } = outcome.posting
  const posting = await saveConfirmation(db, { providerId: provider, postingId })
  return posting?.documentCount === 1 ? 'done' : 'left'
}
