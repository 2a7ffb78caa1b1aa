import { aDatabase } from '@despatch/testing/a-database'
import { makePending } from '@despatch/testing/make-pending'
import { aSubmission, insertConsumer } from '@despatch/testing/print-job-builders'
import { shared } from '@despatch/testing/shared'
import { expect, test } from 'vitest'
import { savePrintJobDeletion } from '../src/print-job/delete-print-job.ts'
import { movePrintJobs } from '../src/print-job/print-jobs.ts'
import { postponeStep } from '../src/print-job/steps.ts'
import { saveSubmissions } from '../src/print-job/submissions.ts'

const { db, pool } = await shared(aDatabase())

/** Print jobs of two consumers that have given them the same id. */
async function twoOfTheSameId() {
  const consumers = [await insertConsumer(db), await insertConsumer(db)]
  const first = aSubmission(consumers[0]!)
  const second = aSubmission(consumers[1]!, { id: first.id })
  await saveSubmissions(pool, [first, second])
  await makePending(db, { key: first.key }, { key: second.key })
  return [first, second] as const
}

const read = (key: string) =>
  db.selectFrom('print_job').selectAll().where('key', '=', key).executeTakeFirstOrThrow()
const isDeleted = async (key: string) => (await read(key)).deleted_at !== null

test.each([0, 1])(
  'a consumer deletes its own print job, not that of another with the same id',
  async (which) => {
    const jobs = await twoOfTheSameId()
    const [own, other] = [jobs[which]!, jobs[1 - which]!]

    expect(await savePrintJobDeletion(db, own.consumerId, own.id)).toBe('deleted')

    expect([await isDeleted(own.key), await isDeleted(other.key)]).toEqual([true, false])
    expect(await savePrintJobDeletion(db, own.consumerId, own.id)).toBe('absent')
    expect(await isDeleted(other.key)).toBe(false)
  },
)

test('nobody deletes a print job of another consumer, or by another id', async () => {
  const [own] = await twoOfTheSameId()
  const { consumerId } = await insertConsumer(db)

  expect(await savePrintJobDeletion(db, consumerId, own.id)).toBe('absent')
  expect(await savePrintJobDeletion(db, own.consumerId, own.key)).toBe('absent')
  expect(await isDeleted(own.key)).toBe(false)
})

test('a worker that took a print job before it was deleted changes nothing', async () => {
  const [own] = await twoOfTheSameId()
  const { step_epoch: epoch } = await read(own.key)
  await savePrintJobDeletion(db, own.consumerId, own.id)
  const before = await read(own.key)

  expect(await postponeStep(db, { key: own.key, epoch }, 1)).toBe(false)
  const moved = await db
    .transaction()
    .execute((tx) => movePrintJobs(tx, [{ key: own.key }], 'reject', { actor: 'operator' }))

  expect(moved).toEqual([])
  expect(await read(own.key)).toEqual(before)
})
