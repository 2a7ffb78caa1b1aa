import { randomUUID } from 'node:crypto'
import { workQueues } from '@despatch/domain/work/lane'
import { openQueues } from '@despatch/queue/open-queues'
import { prepareQueues } from '@despatch/queue/prepare-queues'
import type { NewTask, QueueName, Queues } from '@despatch/queue/queues'
import { eventually } from '@despatch/testing/eventually'
import { takeQueueBackends } from '@despatch/testing/queue-backends'
import { seeder } from '@despatch/testing/seed-print-job'
import { asService } from '@despatch/testing/service-logins'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
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

  const recordedOf = (queue: QueueName) => administration.audited(`about=${queue}`)

  test('are listed', async () => {
    const { status, body } = await administration.asOperator('GET', '/queues')

    expect([status, body.queues]).toEqual([200, workQueues.map((queue) => ({ queue, ...empty }))])
  })

  describe.each(workQueues)('%s', (queue) => {
    const post = (action: string, body?: object) =>
      administration.asAdmin('POST', `/queues/${queue}/${action}`, body)

    test('POST /queues/{queue}/pause and POST /queues/{queue}/resume and drain: each change is audited once, with its reason', async () => {
      await enqueue(queue, 1)
      await queues.enqueue(queue, [aBatch({ isUrgent: true })])
      const reason = 'the printer at NORTH is repaired'

      const paused = await post('pause', { reason })
      const again = await post('pause', { reason: 'another' })
      const resumed = await post('resume')
      await post('resume')
      const later = await post('pause', {})
      await post('resume')
      const drained = await post('drain')

      const waiting = { queue, ...empty, waiting: 2 }
      const actor = administration.actorOf('admin')
      const by = { pausedAt: expect.any(String), pausedBy: actor, pausedByUserName: 'admin' }
      expect([paused.status, paused.body]).toEqual([
        200,
        { ...waiting, isPaused: true, ...by, pausedReason: reason },
      ])
      expect(again.body).toEqual(paused.body)
      expect(resumed.body).toEqual(waiting)
      expect([later.status, later.body]).toEqual([200, { ...waiting, isPaused: true, ...by }])
      expect(drained.body).toEqual({ queue, ...empty, removed: 2 })
      expect((await recordedOf(queue)).slice(0, 5)).toEqual([
        { actor, action: 'queue.drained', detail: { queue, removed: 2 } },
        { actor, action: 'queue.resumed', detail: { queue } },
        { actor, action: 'queue.paused', detail: { queue } },
        { actor, action: 'queue.resumed', detail: { queue } },
        { actor, action: 'queue.paused', detail: { queue, reason } },
      ])
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
      administration.asOperator('POST', `/queues/${queue}/redrive`)
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
    for (const queue of workQueues) {
      expect((await recordedOf(queue))[0]).toMatchObject({
        action: 'queue.redriven',
        detail: { queue, triedAgain: 0, woken: 1 },
      })
    }
  })
})

test('503: the queues are unavailable, and nothing is audited', async () => {
  const administration = await anAdministration({ settings: { QUEUE_URL: 'redis://127.0.0.1:1' } })

  onTestFinished(administration.close)

  const { status } = await administration.asAdmin('POST', '/queues/letters/drain')

  expect(status).toBe(503)
  expect(await administration.audited('action=queue.drained')).toEqual([])
})

/** A print job in QUARANTINE whose worker has died. */
async function anOverduePrintJob({ db, pool }: Administration): Promise<string> {
  const seed = await seeder(db)
  // the service writes search terms that are missing, and locks the letter meanwhile
  const key = await seed.printJob({ search_terms: '{1}' as never })
  await pool.query(
    `insert into letter_batch (lane, queue, is_first, due_at, consumer_ids, subjects, leased_until, versions)
     values ('plain', 'letters', false, now(), array[$2::uuid], array[$1::uuid], now() - interval '1 minute', '{0}')`,
    [key, seed.consumerId],
  )
  return key
}
