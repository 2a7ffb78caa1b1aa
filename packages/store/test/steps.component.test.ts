import { aDatabase } from '@despatch/testing/a-database'
import { aSubmission, insertConsumer } from '@despatch/testing/print-job-builders'
import { shared } from '@despatch/testing/shared'
import { expect, test } from 'vitest'
import { relayOutbox } from '../src/outbox.ts'
import { movePrintJobs } from '../src/print-job/print-jobs.ts'
import {
  parkStep,
  postponeStep,
  renewStep,
  retryStep,
  takeSteps,
  uncountStart,
  wakeOverdueSteps,
  wakeWaitingSteps,
} from '../src/print-job/steps.ts'
import { saveSubmissions } from '../src/print-job/submissions.ts'

const database = await shared(aDatabase({ connectionsMax: 8 }))
const consumer = await insertConsumer(database.db)

const leaseSeconds = 60
const take = async (key: string) =>
  (await takeSteps(database.db, [key], 'QUARANTINE', leaseSeconds))[0]

async function aPrintJob(): Promise<string> {
  const submission = aSubmission(consumer)
  await saveSubmissions(database.pool, [submission])
  return submission.key
}

async function aTakenStep() {
  const step = await take(await aPrintJob())
  return step!
}

test("a step knows its age by the database's clock", async () => {
  const key = await aPrintJob()
  await database.pool.query(
    `update print_job set created_at = created_at - interval '2 hours' where key = $1`,
    [key],
  )

  expect((await take(key))!.ageMs / 3_600_000).toBeCloseTo(2, 1)
})

const tasksOf = (subject: string) =>
  database.db
    .selectFrom('outbox')
    .select(['queue', 'epoch', 'due_at'])
    .where('subject', '=', subject)
    .orderBy('id')
    .execute()

test('a step is taken by one of many that ask', async () => {
  const key = await aPrintJob()

  const taken = await Promise.all(Array.from({ length: 5 }, () => take(key)))

  expect(taken.filter((step) => step !== undefined)).toMatchObject([
    { key, starts: 1, failures: 0, production: 'letter', traceContext: null, files: [] },
  ])
})

test('a step whose lease has run out is taken again, under a new epoch', async () => {
  const key = await aPrintJob()
  const [dead] = await takeSteps(database.db, [key], 'QUARANTINE', 0)

  const next = await take(key)

  expect(next).toMatchObject({ key, starts: 2 })
  expect(next!.epoch).toBeGreaterThan(dead!.epoch)
  expect(await renewStep(database.db, dead!, leaseSeconds)).toBe(false)
  expect(await renewStep(database.db, next!, leaseSeconds)).toBe(true)
})

test('the number of a document is drawn by the first taking in VALIDATING, and stays', async () => {
  const step = await aTakenStep()
  expect(step.documentId).toBeNull()
  const { key, epoch } = step
  await database.db
    .transaction()
    .execute((tx) => movePrintJobs(tx, [{ key, epoch }], 'release', { actor: 'quarantine' }))

  const [first] = await takeSteps(database.db, [key], 'VALIDATING', 0)
  const [second] = await takeSteps(database.db, [key], 'VALIDATING', leaseSeconds)

  expect(first!.documentId).toMatch(/^D1[0-9]{8}$/)
  expect(second).toMatchObject({ key, starts: 2, documentId: first!.documentId })
})

test('a step is taken with the terms of preflight of its contract', async () => {
  expect(await aTakenStep()).toMatchObject({
    ruleSet: 'standard-2026-11',
    addressPlacement: 'own-page',
    marks: true,
  })
})

test('a step of another status is not taken', async () => {
  const key = await aPrintJob()

  expect(await takeSteps(database.db, [key], 'VALIDATING', leaseSeconds)).toEqual([])
})

test('a postponed step is free again and has a wake-up for then', async () => {
  const step = await aTakenStep()

  expect(await postponeStep(database.db, step, 'quarantine', 30)).toBe(true)

  const [, wakeUp] = await tasksOf(step.key)
  expect(wakeUp).toMatchObject({ queue: 'quarantine', epoch: step.epoch + 1 })
  expect(wakeUp!.due_at.getTime()).toBeGreaterThan(Date.now() + 25_000)
  expect(await take(step.key)).toMatchObject({ starts: 1, failures: 0 })
})

test('when the queues have lost their contents, steps that nobody holds are woken, each once', async () => {
  const held = await aTakenStep()
  const free = await aTakenStep()
  await postponeStep(database.db, free, 'quarantine', 0)
  const { rows } = await database.pool.query<{ at: Date }>('select now() as at')
  const wake = () =>
    wakeOverdueSteps(
      database.db,
      { QUARANTINE: 'quarantine' },
      { stepsMax: 500, lostAt: new Date(rows[0]!.at.getTime() + 1_000) },
    )
  await database.db.deleteFrom('outbox').execute()

  await wake()

  expect(await tasksOf(held.key)).toEqual([])
  expect(await tasksOf(free.key)).toHaveLength(1)
})

test('what waits for a dependency is woken by its return, the oldest first', async () => {
  await database.db.deleteFrom('outbox').execute()
  const steps = [await aTakenStep(), await aTakenStep(), await aTakenStep()]
  await database.db.deleteFrom('outbox').execute()
  const waitFor = (index: number, waitsFor: 'object-store' | 'queue') =>
    postponeStep(database.db, steps[index]!, 'quarantine', 150, { waitsFor })
  await waitFor(0, 'object-store')
  await waitFor(1, 'queue')
  await waitFor(2, 'object-store')
  const due = async () => {
    const subjects: string[] = []
    await relayOutbox(database.db, {
      queues: ['quarantine'],
      tasksMax: 100,
      publish: async (_queue, tasks) => {
        subjects.push(...tasks.map(({ subject }) => subject))
      },
    })
    return subjects
  }
  expect(await due()).toEqual([])

  expect(await wakeWaitingSteps(database.db, 'object-store', 1)).toBe(1)
  expect(await due()).toEqual([steps[0]!.key])
  expect(await wakeWaitingSteps(database.db, 'object-store', 100)).toBe(1)
  expect(await due()).toEqual([steps[2]!.key])

  expect(await wakeWaitingSteps(database.db, 'object-store', 100)).toBe(0)
  expect(await take(steps[0]!.key)).toMatchObject({ starts: 1, failures: 0 })
})

test('a step that was taken away keeps its starts, until its worker shows that it lives', async () => {
  const step = await aTakenStep()
  await postponeStep(database.db, step, 'quarantine', 0, { keepsStarts: true })
  expect(await take(step.key)).toMatchObject({ starts: 2 })

  await uncountStart(database.db, step.key)
  await database.pool.query('update print_job set lease_until = null where key = $1', [step.key])

  expect(await take(step.key)).toMatchObject({ starts: 2 })
})

test('a failed step is tried again, with the failure counted', async () => {
  const step = await aTakenStep()

  await retryStep(database.db, step, { queue: 'quarantine', seconds: 2, failure: 'TimeoutError' })

  expect(await take(step.key)).toMatchObject({ starts: 1, failures: 1 })
})

test('a parked step stays in its status and is not taken', async () => {
  const step = await aTakenStep()

  expect(await parkStep(database.db, step, 'TypeError')).toBe(true)

  expect(await take(step.key)).toBeUndefined()
  const job = await database.db
    .selectFrom('print_job')
    .select(['status', 'step_failure'])
    .where('key', '=', step.key)
    .executeTakeFirst()
  expect(job).toEqual({ status: 'QUARANTINE', step_failure: 'TypeError' })
})

test('nothing is written for a step that another has taken over', async () => {
  const key = await aPrintJob()
  const [dead] = await takeSteps(database.db, [key], 'QUARANTINE', 0)
  await take(key)
  const retry = { queue: 'quarantine', seconds: 1, failure: 'Error' }

  expect(await postponeStep(database.db, dead!, 'quarantine', 1)).toBe(false)
  expect(await retryStep(database.db, dead!, retry)).toBe(false)
  expect(await parkStep(database.db, dead!, 'Error')).toBe(false)
  const moved = await database.db
    .transaction()
    .execute((tx) => movePrintJobs(tx, [dead!], 'release', { actor: 'dead worker' }))
  expect(moved).toBe(false)
})

test('the sweep wakes what is overdue, and only that, under a new epoch', async () => {
  const overdue = await aPrintJob()
  const fresh = await aPrintJob()
  await database.db
    .updateTable('print_job')
    .set({ next_check_at: new Date(Date.now() - 1_000) })
    .where('key', '=', overdue)
    .execute()
  const routes = { QUARANTINE: 'quarantine', VALIDATING: 'validate' }
  const limits = { stepsMax: 100 }

  expect(await wakeOverdueSteps(database.db, routes, limits)).toBe(1)
  expect(await wakeOverdueSteps(database.db, routes, limits)).toBe(0)

  expect((await tasksOf(overdue)).map(({ epoch }) => epoch)).toEqual([0, 1])
  expect((await tasksOf(fresh)).map(({ epoch }) => epoch)).toEqual([0])
})

test('the outbox keeps what could not be published and hands over what is due, once', async () => {
  await database.db.deleteFrom('outbox').execute()
  const key = await aPrintJob()
  const later = await aTakenStep()
  await database.db.deleteFrom('outbox').where('subject', '=', later.key).execute()
  await postponeStep(database.db, later, 'quarantine', 600)
  const queues = ['quarantine', 'validate']
  const failing = relayOutbox(database.db, {
    queues,
    tasksMax: 100,
    publish: () => Promise.reject(new Error('Redis is away')),
  })
  await expect(failing).rejects.toThrow('Redis is away')
  const published: unknown[] = []

  const publish = async (_queue: string, tasks: readonly unknown[]) => {
    published.push(...tasks)
  }
  await relayOutbox(database.db, { queues, tasksMax: 100, publish })
  await relayOutbox(database.db, { queues, tasksMax: 100, publish })

  expect(published).toEqual([{ queue: 'quarantine', subject: key, epoch: 0 }])
})

test('a queue that accepts nothing and an unknown queue delay no other queue', async () => {
  await database.db.deleteFrom('outbox').execute()
  const subject = await aPrintJob()
  await database.db.deleteFrom('outbox').execute()
  const dueBefore = (seconds: number) => new Date(Date.now() - seconds * 1_000)
  const wakeUp = (queue: string, epoch: number, seconds: number) => ({
    queue,
    subject,
    epoch,
    due_at: dueBefore(seconds),
  })
  await database.db
    .insertInto('outbox')
    .values([
      ...[1, 2, 3].map((epoch) => wakeUp('of-a-later-release', epoch, 90)),
      ...[1, 2, 3].map((epoch) => wakeUp('quarantine', epoch, 60)),
      wakeUp('validate', 1, 30),
    ])
    .execute()
  const published: string[] = []
  const publish = async (queue: string, tasks: readonly unknown[]) => {
    if (queue === 'quarantine') throw new Error('its queue takes nothing')
    published.push(...tasks.map(() => queue))
  }

  const relayed = relayOutbox(database.db, {
    queues: ['quarantine', 'validate'],
    tasksMax: 2,
    publish,
  })

  await expect(relayed).rejects.toThrow('its queue takes nothing')
  expect(published).toEqual(['validate'])
  const left = await database.db.selectFrom('outbox').select('queue').orderBy('id').execute()
  expect(left.map(({ queue }) => queue)).toEqual([
    ...Array.from({ length: 3 }, () => 'of-a-later-release'),
    ...Array.from({ length: 3 }, () => 'quarantine'),
  ])
})
