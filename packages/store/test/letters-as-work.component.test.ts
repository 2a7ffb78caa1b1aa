import { aDatabase } from '@despatch/testing/a-database'
import { aMade } from '@despatch/testing/make-pending'
import { aSubmission, insertConsumer } from '@despatch/testing/print-job-builders'
import { takeQueueBackends } from '@despatch/testing/queue-backends'
import { shared } from '@despatch/testing/shared'
import { describeWorkOnQueues } from '@despatch/testing/work-on-queues'
import { describeWork, type KindUnderTest } from '@despatch/testing/work-suite'
import { letterKind } from '../src/print-job/letter-kind.ts'
import { movePrintJobs } from '../src/print-job/print-jobs.ts'
import { redriveSteps } from '../src/print-job/redrive.ts'
import { parkStep, postponeStep, type TakenStep } from '../src/print-job/steps.ts'
import { saveSubmissions } from '../src/print-job/submissions.ts'

const database = await shared(aDatabase({ connectionsMax: 8 }))
const { db, pool } = database
const consumers = new Map<string, Awaited<ReturnType<typeof insertConsumer>>>()

const letter: KindUnderTest<TakenStep> = {
  database,
  kind: letterKind,
  aConsumer: async () => {
    const consumer = await insertConsumer(db)
    consumers.set(consumer.consumerId, consumer)
    return consumer.consumerId
  },
  add: async (consumerId, count) => {
    const keys: string[] = []
    for (let saved = 0; saved < count; saved += 1) {
      const submission = aSubmission(consumers.get(consumerId)!)
      await saveSubmissions(pool, [submission])
      keys.push(submission.key)
    }
    return keys
  },
  held: ({ key, epoch }) => ({ subject: key, version: epoch }),
  finish: async ({ subject: key, version: epoch }) => {
    const moved = await db.transaction().execute((tx) =>
      movePrintJobs(tx, [{ key, epoch, made: aMade }], 'accept', {
        actor: 'validate',
        releasedBy: 'quarantine',
      }),
    )
    return moved.length === 1
  },
  postpone: ({ subject: key, version: epoch }, seconds, waitsFor) =>
    postponeStep(db, { key, epoch }, seconds, { waitsFor }),
  park: ({ subject: key, version: epoch }) => parkStep(db, { key, epoch }, 'Error'),
  redrive: (subject) =>
    db
      .transaction()
      .execute((tx) => redriveSteps(tx, [subject], { actor: 'operator', reason: 'test' })),
  remove: async (subject) => {
    // a letter that is checked is not deleted; an operator may cancel it
    await db
      .transaction()
      .execute((tx) => movePrintJobs(tx, [{ key: subject }], 'reject', { actor: 'operator' }))
  },
  deathsOf: async (subject) => {
    const { step_starts } = await db
      .selectFrom('print_job')
      .select('step_starts')
      .where('key', '=', subject)
      .executeTakeFirstOrThrow()
    return step_starts
  },
}

describeWork('a letter', letter)
for (const backend of await takeQueueBackends()) describeWorkOnQueues('a letter', letter, backend)
