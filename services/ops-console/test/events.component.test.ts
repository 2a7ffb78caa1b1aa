import { randomUUID } from 'node:crypto'
import { manageQueues } from '@despatch/queue/manage-queues'
import { openQueues } from '@despatch/queue/open-queues'
import type { TaskHandler } from '@despatch/queue/queues'
import { eventually } from '@despatch/testing/eventually'
import { takeQueueBackends } from '@despatch/testing/queue-backends'
import { asService } from '@despatch/testing/service-logins'
import { shared } from '@despatch/testing/shared'
import { describe, expect, onTestFinished, test } from 'vitest'
import { aConsoleStage, firstFacts } from './a-console.ts'
import { insertProblems } from './insert-problems.ts'

const queueBackends = await takeQueueBackends()

const stage = await shared(aConsoleStage())
const cookie = await stage.signedIn('operator')
await insertProblems(stage.db)

describe('the events', () => {
  test('show operators the problems, with failing steps and dead callbacks', async () => {
    const facts = await firstFacts(await stage.listening(), cookie)

    expect(facts.concerns.map(({ what }: { what: string }) => what)).toEqual([
      '1 letter is parked',
      'https://example.com:443 does not answer',
      '3 callbacks have become dead in the last day',
    ])
    expect(facts.figures.printJobs[0]).toMatchObject({ status: 'QUARANTINE', count: 1 })
    expect(facts.failingSteps).toMatchObject([
      { printJobId: 'letter-parked', failure: '<b>TimeoutError</b>', isParked: true },
    ])
    expect(
      facts.deadCallbacks.map(({ printJobId, kind }: Record<string, string>) => [printJobId, kind]),
    ).toEqual(
      expect.arrayContaining([
        ['letter-rejected', 'status'],
        ['letter-rejected', 'return'],
        [null, 'test'],
      ]),
    )
    expect(facts.failingOrigins).toMatchObject([
      { origin: 'https://example.com:443', breaker: 'open' },
    ])
    expect(facts.flow).toHaveLength(60)
    expect(facts.attempts.failed).toHaveLength(48)
    expect(facts.today).toMatchObject({ soFar: { despatched: 0 }, weekAgo: { received: 0 } })
    expect(facts.runs).toEqual([])
    expect(facts.due).toMatchObject({ letters: { overdue: 0 }, isMore: false })
    expect(facts.queues).toMatchObject([
      { name: 'letters', waiting: 0 },
      { name: 'slow', waiting: 0 },
    ])
    expect(JSON.stringify(facts)).not.toMatch(/Recipient Name|High Street|AB1 2CD|SECRET/)
  })

  test('401 for everybody else', async () => {
    const url = await stage.listening()

    for (const headers of [{}, { cookie: await stage.signedIn('consumer') }]) {
      expect((await fetch(`${url}/events`, { headers })).status).toBe(401)
    }
  })

  test('end when the service does', async () => {
    const service = await stage.aConsole()
    const url = await service.api.listen({ host: '127.0.0.1', port: 0 })
    const answer = await fetch(`${url}/events`, { headers: { cookie } })

    await service.close()

    await expect(answer.text()).resolves.toContain('retry: 2000')
  })
})

describe.each(queueBackends)('the events of queues on $name', ({ url }) => {
  test('a paused queue needs a look, and what waits in it is counted', async () => {
    const queues = openQueues({ url, onError: () => {} })
    onTestFinished(() => queues.close())
    await queues.enqueue('slow', [{ subject: randomUUID(), epoch: 1 }])
    const managed = manageQueues({ url, onError: () => {} })
    onTestFinished(() => managed.close())
    onTestFinished(async () => {
      await managed.drain('slow')
      await managed.resume('slow')
    })
    const looking = await stage.listening({ QUEUE_URL: asService(url, 'ops-console') })
    await managed.pause('slow')

    const facts = await firstFacts(looking, cookie)

    expect(facts.queues).toMatchObject([
      { name: 'letters', isPaused: false, waiting: 0 },
      { name: 'slow', isPaused: true, waiting: 1 },
    ])
    expect(facts.concerns.map(({ what }: { what: string }) => what)).toContain(
      'The queue slow is paused, 1 task waits',
    )
  })

  test('batches are listed with their consumer, progress and result', async () => {
    const consumer = (await stage.db.selectFrom('consumer').select('id').executeTakeFirstOrThrow())
      .id
    const queues = openQueues({ url, onError: () => {} })
    const [ended, active, waiting] = [randomUUID(), randomUUID(), randomUUID()]
    const { promise: isOver, resolve: end } = Promise.withResolvers<void>()
    const console = await stage.listening({ QUEUE_URL: asService(url, 'ops-console') })
    const handler: TaskHandler = async ({ subject }, _signal, progress) => {
      if (subject === ended) return '1 advanced'
      await progress('41 of 100')
      await isOver
    }
    const worker = queues.consume('letters', handler, { concurrency: 1, onError: () => {} })
    onTestFinished(async () => {
      end()
      await worker.close()
      await queues.close()
    })
    const batch = { epoch: 1, lane: 'plain', size: 1, consumer }
    await queues.enqueue('letters', [{ ...batch, subject: ended }])
    await queues.enqueue('letters', [{ ...batch, subject: active, size: 100 }])
    await queues.enqueue('slow', [{ epoch: 1, lane: 'slow', size: 1, subject: waiting }])

    const shown = await eventually(
      async () => {
        const { batches } = await firstFacts(console, cookie)
        // the lists of the states are read one after the other
        return batches[0]?.progress && batches.length >= 3 ? batches : undefined
      },
      { message: 'the batch in progress is shown beside the others' },
    )

    const facts = { at: expect.any(String), result: null, tookMs: null, progress: null }
    const ofLetters = {
      ...facts,
      queue: 'letters',
      lane: 'plain',
      consumerId: consumer,
      consumerUserName: expect.any(String),
    }
    const ofSlow = { queue: 'slow', lane: 'slow', consumerId: null, consumerUserName: null }
    const result = { result: '1 advanced', tookMs: expect.any(Number) }
    expect(shown).toEqual([
      { ...ofLetters, batchId: active, letters: 100, state: 'active', progress: '41 of 100' },
      { ...facts, ...ofSlow, batchId: waiting, letters: 1, state: 'waiting' },
      { ...ofLetters, batchId: ended, letters: 1, state: 'ended', ...result },
    ])
  })

  test('failed tasks are listed with why they failed', async () => {
    const queues = openQueues({ url, onError: () => {} })
    const console = await stage.listening({ QUEUE_URL: asService(url, 'ops-console') })
    const fail: TaskHandler = async () => {
      throw new Error(`no letters ${'x'.repeat(500)}`)
    }
    const worker = queues.consume('slow', fail, { concurrency: 1, onError: () => {} })
    onTestFinished(async () => {
      await worker.close()
      await queues.close()
    })
    const subject = randomUUID()
    await queues.enqueue('slow', [{ epoch: 1, lane: 'slow', size: 1, subject }])

    const failed = await eventually(
      async () => {
        const { failedTasks } = await firstFacts(console, cookie)
        return failedTasks.find((task: { subject: string }) => task.subject === subject)
      },
      { message: 'the failed task is listed' },
    )

    const reason = `no letters ${'x'.repeat(189)}`
    const at = expect.any(String)
    expect(failed).toEqual({ queue: 'slow', subject, attempts: 1, reason, at })
  })
})
