import { randomUUID } from 'node:crypto'
import { openQueues } from '@despatch/queue/open-queues'
import { prepareQueues } from '@despatch/queue/prepare-queues'
import type { QueueName, Queues, Task } from '@despatch/queue/queues'
import { openDatabase } from '@despatch/store/database'
import { eventually } from '@despatch/testing/eventually'
import { takeQueueBackends } from '@despatch/testing/queue-backends'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Administration, anAdministration } from './an-administration.ts'

const queueBackends = await takeQueueBackends()

// Redis counts the workers of every database, including those of other tests
const empty = {
  isPaused: false,
  waiting: 0,
  active: 0,
  delayed: 0,
  failed: 0,
  workers: expect.any(Number),
}

describe.each(queueBackends)('queues on $name', ({ url }) => {
  let administration: Administration
  let queues: Queues
  beforeAll(async () => {
    await prepareQueues(url)
    administration = await anAdministration({ settings: { QUEUE_URL: url } })
    queues = openQueues({ url, onError: () => {} })
  })
  afterAll(async () => {
    await queues.close()
    await administration.close()
  })

  const enqueue = (queue: QueueName, count: number) =>
    queues.enqueue(
      queue,
      Array.from({ length: count }, (): Task => ({ subject: randomUUID(), epoch: 1 })),
    )

  /** Returns the audit events of queues, newest first. */
  async function recorded(): Promise<{ action: string; detail: object }[]> {
    const { body } = await administration.asAdmin('GET', '/audit-events?limit=100')
    return body.auditEvents
      .filter(({ action }: { action: string }) => action.startsWith('queue.'))
      .map(({ action, actor, detail }: Record<string, unknown>) => ({ action, actor, detail }))
  }

  test('are listed', async () => {
    const answer = await administration.as('operator', 'GET', '/queues')

    expect([answer.status, answer.body]).toEqual([
      200,
      {
        queues: [
          { queue: 'letters', ...empty },
          { queue: 'slow', ...empty },
          { queue: 'callback', ...empty },
        ],
      },
    ])
  })

  test('are paused and resumed, and each change is recorded once', async () => {
    const before = (await recorded()).length
    await enqueue('callback', 2)

    const paused = await administration.as('operator', 'POST', '/queues/callback/pause')
    const again = await administration.as('operator', 'POST', '/queues/callback/pause')
    const resumed = await administration.as('operator', 'POST', '/queues/callback/resume')
    await administration.as('operator', 'POST', '/queues/callback/resume')
    await administration.as('operator', 'POST', '/queues/callback/drain')

    const waiting = { queue: 'callback', ...empty, waiting: 2 }
    expect([paused.status, paused.body]).toEqual([
      200,
      {
        ...waiting,
        isPaused: true,
        pausedAt: expect.any(String),
        pausedBy: `consumer:${administration.ids.operator}`,
        pausedByUserName: 'operator',
      },
    ])
    expect(again.body).toEqual(paused.body)
    expect(resumed.body).toEqual(waiting)
    const events = await recorded()
    const actor = `consumer:${administration.ids.operator}`
    expect(events.slice(0, events.length - before)).toEqual([
      { action: 'queue.drained', actor, detail: { queue: 'callback', removed: 2 } },
      { action: 'queue.resumed', actor, detail: { queue: 'callback' } },
      { action: 'queue.paused', actor, detail: { queue: 'callback' } },
    ])
  })

  test('are drained', async () => {
    await enqueue('slow', 3)

    const drained = await administration.as('operator', 'POST', '/queues/slow/drain')
    const again = await administration.as('operator', 'POST', '/queues/slow/drain')

    expect(drained.body).toEqual({ queue: 'slow', ...empty, removed: 3 })
    expect(again.body).toEqual({ queue: 'slow', ...empty, removed: 0 })
  })

  test('are redriven: failed tasks wait again, and print jobs whose step is overdue are woken', async () => {
    const onError = () => {}
    const failing = queues.consume(
      'letters',
      async () => {
        throw new Error('broken')
      },
      { concurrency: 1, onError },
    )
    await enqueue('letters', 2)
    const failed = async () =>
      (await queues.counts()).find(({ name }) => name === 'letters')?.failed === 2
    await eventually(failed, { message: 'both have failed' })
    await failing.close()
    const key = await anOverduePrintJob(administration)

    const redriven = await administration.as('operator', 'POST', '/queues/letters/redrive')
    const none = await administration.as('operator', 'POST', '/queues/callback/redrive')

    expect([redriven.status, redriven.body]).toEqual([
      200,
      { queue: 'letters', ...empty, waiting: 2, triedAgain: 2, woken: 1 },
    ])
    expect(none.body).toEqual({ queue: 'callback', ...empty, triedAgain: 0, woken: 0 })
    const tasks = await administration.db.selectFrom('outbox').selectAll().execute()
    expect(tasks).toMatchObject([{ queue: 'letters', subject: key, epoch: 1 }])
    expect((await recorded()).slice(0, 2)).toMatchObject([
      { action: 'queue.redriven', detail: { queue: 'callback', triedAgain: 0, woken: 0 } },
      { action: 'queue.redriven', detail: { queue: 'letters', triedAgain: 2, woken: 1 } },
    ])
  })

  test('one that there is not is refused, and so is somebody who is no operator', async () => {
    const unknown = await administration.as('operator', 'POST', '/queues/quarantine/pause')
    const refused = await Promise.all(
      ['pause', 'resume', 'drain', 'redrive'].map((change) =>
        administration.as('consumer', 'POST', `/queues/letters/${change}`),
      ),
    )
    const listed = await administration.as('consumer', 'GET', '/queues')

    expect(unknown.status).toBe(400)
    expect([...refused, listed].map(({ status }) => status)).toEqual([403, 403, 403, 403, 403])
  })
})

test('503: the carrier is away, and nothing is recorded', async () => {
  const administration = await anAdministration({ settings: { QUEUE_URL: 'redis://127.0.0.1:1' } })

  const { status } = await administration.as('operator', 'POST', '/queues/letters/drain')
  const { body } = await administration.asAdmin('GET', '/audit-events')

  await administration.close()
  expect(status).toBe(503)
  expect(body.auditEvents.map(({ action }: { action: string }) => action)).not.toContain(
    'queue.drained',
  )
})

/** A print job in QUARANTINE whose worker has died. */
async function anOverduePrintJob({ url, ids }: Administration): Promise<string> {
  const { pool } = openDatabase(url, { name: 'test', connectionsMax: 1 })
  const [contractId, key] = [randomUUID(), randomUUID()]
  await pool.query(
    `insert into contract (id, consumer_id, job_type, template_reference, production, callback_statuses)
     values ($1::uuid, $2, $1::text, 'LETTER', 'letter', '{}')`,
    [contractId, ids.consumer],
  )
  await pool.query(
    `insert into print_job (key, consumer_id, id, status, contract_id, standard_params, callback_statuses, correlation_id,
       request_fingerprint, next_check_at)
     values ($1::uuid, $2, $1::text, 'QUARANTINE', $3, '{}', '{}', 'correlation-1', '\\x00', now() - interval '1 minute')`,
    [key, ids.consumer, contractId],
  )
  await pool.end()
  return key
}
