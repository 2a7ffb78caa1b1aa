import {
  type PrintJobStatus,
  printJobStatuses,
  statusAfter,
  type Transition,
  transitions,
} from '@despatch/domain/print-job/status'
import { aDatabase } from '@despatch/testing/a-database'
import { aSubmission, insertConsumer } from '@despatch/testing/print-job-builders'
import { shared } from '@despatch/testing/shared'
import { takeLetters } from '@despatch/testing/take-letters'
import { describe, expect, test } from 'vitest'
import { type Move, type MoveOptions, movePrintJobs } from '../src/print-job/print-jobs.ts'
import { saveSubmissions } from '../src/print-job/submissions.ts'

const database = await shared(aDatabase({ connectionsMax: 8 }))
const consumer = await insertConsumer(database.db)

const moveAll = (
  moves: readonly Move[],
  transition: Transition,
  options: MoveOptions = { actor: 'test' },
) => database.db.transaction().execute((tx) => movePrintJobs(tx, moves, transition, options))

async function move(...[one, transition, options]: [Move, Transition, MoveOptions?]) {
  const moved = await moveAll([one], transition, options)
  return moved.includes(one.key)
}

/** Saves a print job and sets its status without a history. */
async function aPrintJob(
  status: PrintJobStatus = 'QUARANTINE',
  detail: Parameters<typeof aSubmission>[1] = {},
): Promise<string> {
  const submission = aSubmission(consumer, detail)
  await saveSubmissions(database.pool, [submission])
  await database.db
    .updateTable('print_job')
    .set({
      status,
      document_sha256: Buffer.alloc(32),
      ...(status === 'DESPATCHED' && { despatched_at: new Date() }),
    })
    .where('key', '=', submission.key)
    .execute()
  return submission.key
}

const read = (key: string) =>
  database.db.selectFrom('print_job').selectAll().where('key', '=', key).executeTakeFirstOrThrow()

const table = printJobStatuses.flatMap((status) =>
  (Object.keys(transitions) as Transition[]).map((transition) => ({
    status,
    transition,
    after: statusAfter(status, transition),
  })),
)

test.each(table)(
  '$transition from $status leads to $after',
  async ({ status, transition, after }) => {
    const key = await aPrintJob(status)

    expect(await move({ key }, transition)).toBe(after !== undefined)

    expect((await read(key)).status).toBe(after ?? status)
  },
)

test('writes the event of each move, numbered without gaps', async () => {
  const key = await aPrintJob()

  await move({ key }, 'release', { actor: 'quarantine' })
  await move({ key, comment: 'The PDF is encrypted' }, 'reject', { actor: 'validate' })

  const events = await database.db
    .selectFrom('print_job_event')
    .select(['sequence', 'transition', 'status', 'actor', 'reason'])
    .where('print_job_key', '=', key)
    .orderBy('sequence')
    .execute()
  expect(events).toEqual([
    { sequence: 1, transition: 'submit', status: 'QUARANTINE', actor: 'consumer', reason: null },
    { sequence: 2, transition: 'release', status: 'VALIDATING', actor: 'quarantine', reason: null },
    {
      sequence: 3,
      transition: 'reject',
      status: 'REJECTED',
      actor: 'validate',
      reason: 'The PDF is encrypted',
    },
  ])
})

test('only one of several concurrent transitions succeeds', async () => {
  const key = await aPrintJob()

  const moved = await Promise.all(Array.from({ length: 6 }, () => move({ key }, 'release')))

  expect(moved.filter(Boolean)).toHaveLength(1)
})

test('a worker with an old epoch changes nothing', async () => {
  const key = await aPrintJob()
  const { step_epoch: epoch } = await read(key)

  expect(await move({ key, epoch: epoch - 1 }, 'release')).toBe(false)
  expect(await move({ key, epoch }, 'release')).toBe(true)
  expect(await move({ key, epoch: epoch + 1 }, 'accept')).toBe(false)
  expect((await read(key)).status).toBe('VALIDATING')
})

test('a worker keeps its epoch after a release, and loses it with any other transition', async () => {
  const key = await aPrintJob()
  const [step] = await takeLetters(database.db, [key])
  const epochOf = async () => (await read(key)).step_epoch

  expect(await move({ key, epoch: step!.epoch }, 'release')).toBe(true)
  expect(await epochOf()).toBe(step!.epoch)
  expect(await move({ key, epoch: step!.epoch }, 'accept')).toBe(true)

  expect(await epochOf()).toBe(step!.epoch + 1)
  expect(await move({ key, epoch: step!.epoch }, 'produce')).toBe(false)
})

test('a deleted print job makes no transition', async () => {
  const key = await aPrintJob('PENDING')
  await database.db
    .updateTable('print_job')
    .set({ deleted_at: new Date() })
    .where('key', '=', key)
    .execute()

  expect(await move({ key }, 'produce')).toBe(false)
})

test('moves and names only the print jobs that can make the transition', async () => {
  const pending = await aPrintJob('PENDING')
  const rejected = await aPrintJob('REJECTED')

  expect(await moveAll([{ key: rejected }, { key: pending }], 'produce')).toEqual([pending])
})

describe('callbacks', () => {
  const callbackParams = {}
  const callbacksOf = (key: string) =>
    database.db
      .selectFrom('callback')
      .select(['id', 'sequence', 'status', 'body', 'state'])
      .where('print_job_key', '=', key)
      .execute()

  test('are created with a status that the contract names', async () => {
    const key = await aPrintJob('PRODUCTION', { callbackParams, correlationId: 'correlation-1' })
    const despatchProperties = [
      { key: 'totalSheets', value: '1' },
      { key: 'postageClass', value: '2ND' },
      { key: 'mailingProduct', value: 'MM' },
    ]

    await move({ key, fulfilment: { despatchProperties } }, 'despatch')

    const [callback] = await callbacksOf(key)
    const { id, updated_at: updatedAt } = await read(key)
    expect(callback).toMatchObject({ sequence: 1, status: 'DESPATCHED', state: 'DUE' })
    expect(JSON.parse(callback!.body.toString())).toMatchObject({
      id: callback!.id,
      data: {
        jobId: id,
        jobStatus: 'DESPATCHED',
        transitionDate: `${updatedAt.toISOString().slice(0, 19)}Z`,
        despatchProperties,
      },
      metadata: { correlationId: 'correlation-1' },
    })
  })

  test('are not created for other statuses, nor without a target', async () => {
    const produced = await aPrintJob('PENDING', { callbackParams })
    const withoutTarget = await aPrintJob('PRODUCTION')

    await move({ key: produced }, 'produce')
    await move({ key: withoutTarget }, 'despatch')

    expect(await callbacksOf(produced)).toEqual([])
    expect(await callbacksOf(withoutTarget)).toEqual([])
  })

  test('are not created by a transition that is rolled back', async () => {
    const key = await aPrintJob('PRODUCTION', { callbackParams })

    await expect(
      database.db.transaction().execute(async (tx) => {
        await movePrintJobs(tx, [{ key }], 'despatch', { actor: 'test' })
        throw new Error('something else failed')
      }),
    ).rejects.toThrow('something else failed')

    expect(await callbacksOf(key)).toEqual([])
    expect((await read(key)).status).toBe('PRODUCTION')
  })
})
