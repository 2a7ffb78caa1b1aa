import { randomUUID } from 'node:crypto'
import { workQueues } from '@despatch/domain/work/lane'
import { openQueues } from '@despatch/queue/open-queues'
import { prepareQueues } from '@despatch/queue/prepare-queues'
import type { NewTask, QueueName, Queues } from '@despatch/queue/queues'
import { openDatabase } from '@despatch/store/database'
import { eventually } from '@despatch/testing/eventually'
import { takeQueueBackends } from '@despatch/testing/queue-backends'
import { asService } from '@despatch/testing/service-logins'
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

const aBatch = (detail: Partial<NewTask> = {}): NewTask => ({
  subject: randomUUID(),
  epoch: 1,
  lane: 'plain',
  size: 3,
  ...detail,
})

describe.each(queueBackends)('queues on $name', ({ url }) => {
  let administration: Administration
  let queues: Queues
  beforeAll(async () => {
    await prepareQueues(url)
    administration = await anAdministration({
      settings: { QUEUE_URL: asService(url, 'administration') },
    })
    queues = openQueues({ url, onError: () => {} })
  })
  afterAll(async () => {
    await queues.close()
    await administration.close()
  })

  const enqueue = (queue: QueueName, count: number) =>
    queues.enqueue(
      queue,
      Array.from({ length: count }, () => aBatch()),
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
        ],
      },
    ])
  })

  describe.each(workQueues)('%s', (queue) => {
    const post = (action: string, body?: object) =>
      administration.asAdmin('POST', `/queues/${queue}/${action}`, body)

    test('is paused and resumed, and each change is audited once', async () => {
      const before = (await recorded()).length
      await enqueue(queue, 2)

      const paused = await administration.asAdmin('POST', `/queues/${queue}/pause`)
      const again = await administration.asAdmin('POST', `/queues/${queue}/pause`)
      const resumed = await administration.asAdmin('POST', `/queues/${queue}/resume`)
      await post('resume')
      await post('drain')

      const waiting = { queue, ...empty, waiting: 2 }
      const actor = `consumer:${administration.ids.admin}`
      expect([paused.status, paused.body]).toEqual([
        200,
        {
          ...waiting,
          isPaused: true,
          pausedAt: expect.any(String),
          pausedBy: actor,
          pausedByUserName: 'admin',
        },
      ])
      expect(again.body).toEqual(paused.body)
      expect(resumed.body).toEqual(waiting)
      const events = await recorded()
      expect(events.slice(0, events.length - before)).toEqual([
        { action: 'queue.drained', actor, detail: { queue, removed: 2 } },
        { action: 'queue.resumed', actor, detail: { queue } },
        { action: 'queue.paused', actor, detail: { queue } },
      ])
    })

    test('is paused for a reason, which is shown while it is paused, and audited', async () => {
      const reason = 'the printer at NORTH is repaired'

      const paused = await post('pause', { reason })
      const again = await post('pause', { reason: 'another' })
      const resumed = await post('resume')
      const later = await post('pause', {})
      await post('resume')

      expect([paused.status, paused.body.pausedReason]).toEqual([200, reason])
      expect(again.body).toEqual(paused.body)
      expect(resumed.body).not.toHaveProperty('pausedReason')
      expect([later.status, later.body.isPaused]).toEqual([200, true])
      expect(later.body).not.toHaveProperty('pausedReason')
      const [, , , first] = await recorded()
      expect(first).toMatchObject({ action: 'queue.paused', detail: { queue, reason } })
    })

    test('is drained, including urgent tasks, without other queues', async () => {
      const other = queue === 'slow' ? 'letters' : 'slow'
      await enqueue(queue, 3)
      await queues.enqueue(queue, [aBatch({ isUrgent: true })])
      await enqueue(other, 1)

      const drained = await post('drain')
      const again = await post('drain')
      const left = await administration.asAdmin('POST', `/queues/${other}/drain`)

      expect(drained.body).toEqual({ queue, ...empty, removed: 4 })
      expect(again.body).toEqual({ queue, ...empty, removed: 0 })
      expect(left.body).toMatchObject({ removed: 1 })
    })

    test('is redriven: failed tasks wait again', async () => {
      const failing = queues.consume(
        queue,
        async () => {
          throw new Error('broken')
        },
        { concurrency: 1, onError: () => {} },
      )
      await enqueue(queue, 2)
      const failed = async () =>
        (await queues.counts()).find(({ name }) => name === queue)?.failed === 2
      await eventually(failed, { message: 'both tasks have failed' })
      await failing.close()

      const redriven = await post('redrive')
      await post('drain')

      expect([redriven.status, redriven.body]).toEqual([
        200,
        { queue, ...empty, waiting: 2, triedAgain: 2, woken: 0 },
      ])
    })
  })

  test('of letters wake print jobs of dead workers when they are redriven, each alone in its batch', async () => {
    const redrive = (queue: QueueName) =>
      administration.as('operator', 'POST', `/queues/${queue}/redrive`)
    const key = await anOverduePrintJob(administration)

    const ofLetters = await redrive('letters')
    const other = await anOverduePrintJob(administration)
    const ofSlow = await redrive('slow')

    expect([ofLetters, ofSlow].map(({ body }) => [body.queue, body.woken])).toEqual([
      ['letters', 1],
      ['slow', 1],
    ])
    const { rows } = await administration.pool.query(
      'select lane, subject as key from letter_waiting order by seq',
    )
    expect(rows).toEqual([
      { lane: 'slow', key },
      { lane: 'slow', key: other },
    ])
    expect((await recorded()).slice(0, 2)).toMatchObject([
      { action: 'queue.redriven', detail: { queue: 'slow', triedAgain: 0, woken: 1 } },
      { action: 'queue.redriven', detail: { queue: 'letters', triedAgain: 0, woken: 1 } },
    ])
  })
})

test('503: the queues are unavailable, and nothing is audited', async () => {
  const administration = await anAdministration({ settings: { QUEUE_URL: 'redis://127.0.0.1:1' } })

  const { status } = await administration.asAdmin('POST', '/queues/letters/drain')
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
       request_fingerprint, search_terms)
     values ($1::uuid, $2, $1::text, 'QUARANTINE', $3, '{}', '{}', 'correlation-1', '\\x00',
       -- the service writes those that are missing, and locks the letter meanwhile
       '{1}')`,
    [key, ids.consumer, contractId],
  )
  await pool.query(
    `insert into letter_batch (lane, queue, is_first, due_at, consumer_ids, subjects, leased_until, versions)
     values ('plain', 'letters', false, now(), array[$2::uuid], array[$1::uuid], now() - interval '1 minute', '{0}')`,
    [key, ids.consumer],
  )
  await pool.end()
  return key
}
