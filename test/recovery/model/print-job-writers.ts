import { createHash, randomUUID } from 'node:crypto'
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
import type { ActionOutcome } from '@despatch/store/print-job/lock'
import { saveAddressOverride } from '@despatch/store/print-job/override-address'
import { type Made, movePrintJobs } from '@despatch/store/print-job/print-jobs'
import { redrivePrintJob } from '@despatch/store/print-job/redrive'
import {
  parkStep,
  postponeStep,
  retryStep,
  takeSteps,
  wakeOverdueSteps,
} from '@despatch/store/print-job/steps'
import { saveSubmissions } from '@despatch/store/print-job/submissions'
import { aSubmission } from '@despatch/testing/print-job-builders'
import type { SomePrintRuns } from '@despatch/testing/some-print-runs'

export const stepWrites = ['release', 'accept', 'reject', 'postpone', 'retry', 'park'] as const

type Taking = { name: 'take'; letter: number; worker: number; status: 'QUARANTINE' | 'VALIDATING' }
type StepWrite = { name: (typeof stepWrites)[number]; letter: number; worker: number }
type Decision = {
  name: 'hold' | 'release-hold' | 'delete'
  letter: number
  who: 'consumer' | 'operator'
}
type Operation = { name: 'lose-lease' | 'redrive' | 'override'; letter: number }
type Provision = { name: 'claim' | 'acknowledge' | 'fail' | 'despatch'; letter: number }

/** One write to a letter. `letter` is its index among the letters of a case. */
export type LetterAction = Taking | StepWrite | Decision | Operation | Provision
/** A write to a letter, or a pass over all letters. */
export type Action = LetterAction | { name: 'wake' } | { name: 'gather' }

/** Letters in a database, and the epoch under which each worker believes to have the lease of each letter. */
export type Letters = {
  runs: SomePrintRuns
  letters: readonly { key: string; id: string }[]
  epochs: Map<string, number>
}

/** Saves letters that owe a callback at their end. Letters of earlier cases are no longer gathered. */
export async function someLetters(runs: SomePrintRuns, count: number): Promise<Letters> {
  await runs.pool.query(`update print_job set route_after = 'infinity'`)
  const callbacks = { callbackParams: {}, callbackOrigin: 'https://example.com' }
  const letters = Array.from({ length: count }, () => aSubmission(runs.consumer, callbacks))
  await saveSubmissions(runs.pool, letters)
  return { runs, letters, epochs: new Map() }
}

/** Carries an action out as the services do, and returns its result. */
export function perform(given: Letters, action: Action): Promise<string> {
  switch (action.name) {
    case 'take':
      return take(given, action)
    case 'hold':
    case 'release-hold':
    case 'delete':
      return decide(given, action)
    case 'gather':
      return gather(given)
    case 'wake':
      return wake(given)
    case 'lose-lease':
    case 'redrive':
    case 'override':
      return operate(given, action)
    case 'claim':
    case 'acknowledge':
    case 'fail':
    case 'despatch':
      return provide(given, action)
    default:
      return write(given, action)
  }
}

const by = { actor: 'operator', reason: 'test' }
const provider = 'north'

async function take({ runs, letters, epochs }: Letters, { letter, worker, status }: Taking) {
  const [step] = await takeSteps(runs.db, [letters[letter]!.key], status, 3_600)
  if (!step) return 'left'
  epochs.set(`${worker} ${letter}`, step.epoch)
  return 'done'
}

async function write(
  { runs: { db }, letters, epochs }: Letters,
  { name, letter, worker }: StepWrite,
) {
  const epoch = epochs.get(`${worker} ${letter}`)
  if (epoch === undefined) return 'left'
  const held = { key: letters[letter]!.key, epoch }
  const isWritten = await writeStep()
  return isWritten ? 'done' : 'left'

  function writeStep(): Promise<boolean> {
    if (name === 'postpone') return postponeStep(db, held, 'quarantine', 0)
    if (name === 'retry') {
      return retryStep(db, held, { queue: 'quarantine', seconds: 0, failure: 'Error' })
    }
    if (name === 'park') return parkStep(db, held, 'Error')
    const move = name === 'accept' ? { ...held, made: aDocument() } : held
    const options = { actor: 'pipeline', ...(name === 'release' && { next: 'validate' }) }
    return db.transaction().execute((tx) => movePrintJobs(tx, [move], name, options))
  }
}

/** Returns what the stages produce for a letter. Each one is unique. */
export function aDocument(): Made {
  return {
    printableAddress: { line1: 'A', recipientLine1: 'B', recipientLine2: '', dps: null },
    documentSha256: createHash('sha256').update(randomUUID()).digest('hex'),
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
      `update print_job set lease_until = now() - interval '1 second' where key = $1 and lease_until is not null`,
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
      findings: [],
      replacesSha256: rows[0]!.sha256,
    }
    return isDone(await saveAddressOverride(tx, { key }, override, by))
  })
}

async function wake({ runs: { db } }: Letters) {
  const queues = { QUARANTINE: 'quarantine', VALIDATING: 'validate' }
  const lostAt = new Date(Date.now() + 86_400_000)
  await wakeOverdueSteps(db, queues, { stepsMax: 10_000, lostAt })
  return 'done'
}

async function gather({ runs }: Letters) {
  await runs.gather()
  return 'done'
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
