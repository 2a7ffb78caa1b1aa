import { openBackend } from '@despatch/queue/backend'
import { openQueues } from '@despatch/queue/open-queues'
import { prepareQueues } from '@despatch/queue/prepare-queues'
import { type QueueName, queueNames } from '@despatch/queue/queues'
import { saveSubmissions } from '@despatch/store/print-job/submissions'
import { type ADatabase, aDatabase } from '@despatch/testing/a-database'
import { eventually } from '@despatch/testing/eventually'
import { makePending } from '@despatch/testing/make-pending'
import { objectStoreSettings } from '@despatch/testing/object-store-settings'
import { aSubmission, insertConsumer } from '@despatch/testing/print-job-builders'
import { takeQueueBackends } from '@despatch/testing/queue-backends'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startService } from '../stack/start-service.ts'

const queueBackends = await takeQueueBackends()
/** The queues of the previous release, which this one does not consume. */
const oldQueues = ['quarantine', 'validate'] as const
type OldQueue = (typeof oldQueues)[number]

/** How the previous release left a letter. `task`: in a queue. `wakeUp`: in the outbox. */
type Left = {
  status: 'QUARANTINE' | 'VALIDATING'
  sets?: string
  task?: OldQueue
  wakeUp?: { queue: OldQueue; dueIn: string }
}

const soon = `next_check_at = now() + interval '1 second'`
const later = `next_check_at = now() + interval '1 hour'`
const left: Record<string, Left> = {
  'in a queue': { status: 'QUARANTINE', sets: soon, task: 'quarantine' },
  'released, in a queue': { status: 'VALIDATING', sets: soon, task: 'validate' },
  'in the outbox': {
    status: 'QUARANTINE',
    sets: later,
    wakeUp: { queue: 'quarantine', dueIn: '0 s' },
  },
  'to be retried in an hour': {
    status: 'VALIDATING',
    sets: `${later}, step_failures = 3, step_failure = 'Error', step_epoch = 7`,
    wakeUp: { queue: 'validate', dueIn: '1 hour' },
  },
  'leased by a worker that died': {
    status: 'VALIDATING',
    sets: `${soon}, step_epoch = 1, step_starts = 1, lease_until = now()`,
  },
}
const parked: Left = { status: 'VALIDATING', sets: 'parked_at = now(), next_check_at = null' }

describe.each(queueBackends)('on $name', ({ url: queueUrl }) => {
  test('letters that the previous release left go on, and its queues are left alone', async () => {
    const database = await aDatabase()
    onTestFinished(() => database.close())
    await prepareQueues(queueUrl)
    const leave = leaver(database, queueUrl)
    const keys = new Map<string, string>()
    for (const [name, how] of Object.entries(left)) keys.set(name, await leave(how))
    const parkedKey = await leave(parked)
    const pendingKey = await leave({ status: 'QUARANTINE' })
    await makePending(database.db, { key: pendingKey })
    const tasksBefore = await countTasks(queueUrl)

    await using _pipeline = await startService('pipeline', {
      DATABASE_URL: database.serviceUrl('pipeline'),
      QUEUE_URL: queueUrl,
      ...objectStoreSettings(),
      DESPATCH_RELAY_INTERVAL_MS: '50',
      DESPATCH_SWEEP_INTERVAL_MS: '200',
      DESPATCH_COMPOSE_THREADS: '1',
    })

    await eventually(
      async () => {
        const { rows } = await database.pool.query<{ key: string }>(
          `select key from print_job where status = 'PENDING' and document_sha256 is not null`,
        )
        return rows.length === keys.size + 1
      },
      { message: 'all letters but the parked one are PENDING' },
    )
    const { rows } = await database.pool.query<{ key: string; queues: number }>(
      `select key, (select count(*)::integer from outbox where queue = any ($1)) as queues
       from print_job where status <> 'PENDING' and parked_at is not null`,
      [oldQueues],
    )
    expect(rows).toEqual([{ key: parkedKey, queues: 0 }])
    expect(await countTasks(queueUrl)).toEqual(tasksBefore)
    expect(tasksBefore).toEqual({ quarantine: 1, validate: 1 })
    expect(queueNames).not.toContain('quarantine')
  })
})

/** Returns a function that saves a letter, and then leaves it as the previous release did. */
function leaver({ db, pool }: ADatabase, queueUrl: string) {
  const consumer = insertConsumer(db)
  return async ({ status, sets, task, wakeUp }: Left): Promise<string> => {
    const submission = aSubmission(await consumer)
    const { key } = submission
    await saveSubmissions(pool, [submission])
    await pool.query('delete from work_waiting where print_job_key = $1', [key])
    const change = [`status = '${status}'`, ...(sets === undefined ? [] : [sets])].join(', ')
    await pool.query(`update print_job set ${change} where key = $1`, [key])
    if (status === 'VALIDATING') {
      await pool.query(
        `with job as (update print_job set event_sequence = 2 where key = $1)
         insert into print_job_event (print_job_key, sequence, transition, status, actor)
         values ($1, 2, 'release', 'VALIDATING', 'quarantine')`,
        [key],
      )
    }
    if (wakeUp) {
      await pool.query(
        `insert into outbox (queue, subject, epoch, due_at) values ($1, $2, 0, now() + $3::interval)`,
        [wakeUp.queue, key, wakeUp.dueIn],
      )
    }
    if (task) await enqueueOld(queueUrl, task, key)
    return key
  }
}

const onError = () => {}

async function enqueueOld(url: string, queue: OldQueue, subject: string): Promise<void> {
  const queues = openQueues({ url, onError })
  try {
    await queues.enqueue(queue as string as QueueName, [{ subject, epoch: 0 }])
  } finally {
    await queues.close()
  }
}

async function countTasks(url: string): Promise<Record<OldQueue, number>> {
  const backend = openBackend({ url, onError })
  const count = async (name: OldQueue) => {
    const queue = backend.queue(name as string as QueueName)
    const counts = await queue.getJobCounts()
    await queue.close()
    return Object.values(counts).reduce((sum, some) => sum + some, 0)
  }
  try {
    return { quarantine: await count('quarantine'), validate: await count('validate') }
  } finally {
    await backend.close()
  }
}
