import { randomUUID } from 'node:crypto'
import { manageQueues } from '@despatch/queue/manage-queues'
import { openQueues } from '@despatch/queue/open-queues'
import { prepareQueues } from '@despatch/queue/prepare-queues'
import { relayOutbox } from '@despatch/store/outbox'
import { saveSubmissions } from '@despatch/store/print-job/submissions'
import { createLogger } from '@despatch/telemetry/logger'
import { aSubmission } from '@despatch/testing/print-job-builders'
import { takeQueueBackends } from '@despatch/testing/queue-backends'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { watchDependency } from '../src/dependency-watch.ts'
import { createSweep, type SweepOptions } from '../src/sweep.ts'
import { aPipeline, type TestPipeline } from './a-pipeline.ts'
import { nothingAway } from './nothing-away.ts'

const queueBackends = await takeQueueBackends()

describe.each(queueBackends)('the sweep with queues on $name', ({ url }) => {
  const onError = () => {}
  const queues = openQueues({ url, onError })
  const managed = manageQueues({ url, onError })
  let pipeline: TestPipeline

  beforeAll(async () => {
    await prepareQueues(url)
  })
  beforeEach(async () => {
    pipeline = await aPipeline(url)
    return async () => {
      await pipeline.close()
      await managed.resume('quarantine')
      await managed.drain('quarantine')
    }
  })
  afterAll(async () => {
    await managed.close()
    await queues.close()
  })

  /** Print jobs in QUARANTINE, with their first wake-ups in the queue. */
  async function somePrintJobs(count: number): Promise<string[]> {
    const submissions = Array.from({ length: count }, () => aSubmission(pipeline.consumer))
    await saveSubmissions(pipeline.database.pool, submissions)
    await relay()
    return submissions.map(({ key }) => key)
  }

  const relay = () =>
    relayOutbox(pipeline.database.db, {
      queues: ['quarantine'],
      tasksMax: 500,
      publish: (queue, tasks) => queues.enqueue(queue, tasks),
    })

  /**
   * Simulates a minute in which no worker touches a print job, and the sweep after it. Returns how many print jobs it
   * wakes.
   */
  const aMinutePasses = () => timePasses({ seconds: 61 })

  async function timePasses(
    { seconds }: { seconds: number },
    states: SweepOptions['queues'] = () => queues.counts(),
    incarnation = () => queues.incarnation(),
  ): Promise<number> {
    await pipeline.database.pool.query(
      `update print_job set next_check_at = next_check_at - $1::integer * interval '1 second'`,
      [seconds],
    )
    let woken = 0
    const sweep = createSweep({
      ...{ db: pipeline.database.db, objects: pipeline.objects, nudgeRelay: () => {} },
      stages: [
        { queue: 'quarantine', status: 'QUARANTINE' },
        { queue: 'validate', status: 'VALIDATING' },
      ],
      queues: states,
      incarnation,
      outages: nothingAway,
      onFound: (what, count) => {
        if (what === 'step') woken += count
      },
    })
    while ((await sweep()) === 'again');
    await relay()
    return woken
  }

  /** Wake-ups of other print jobs. */
  const aThousandWait = () =>
    queues.enqueue(
      'quarantine',
      Array.from({ length: 1_000 }, () => ({ subject: randomUUID(), epoch: 1 })),
    )

  const waiting = async () => (await managed.find('quarantine')).waiting

  test('a queue that is paused for ten minutes has one wake-up for each print job, and once it is resumed all are done', async () => {
    await managed.pause('quarantine')
    const keys = await somePrintJobs(5)

    for (let minute = 0; minute < 10; minute++) expect(await aMinutePasses()).toBe(0)
    expect(await waiting()).toBe(5)

    await managed.resume('quarantine')
    await pipeline.start()
    for (const key of keys) await pipeline.reached(key, 'PENDING')
    expect(await waiting()).toBe(0)
  })

  test('a queue that is wiped while it is paused gets its wake-ups within a minute of being resumed', async () => {
    await managed.pause('quarantine')
    await somePrintJobs(5)
    await managed.drain('quarantine')
    expect([await aMinutePasses(), await waiting()]).toEqual([0, 0])

    await managed.resume('quarantine')

    expect([await aMinutePasses(), await waiting()]).toEqual([5, 5])
  })

  test('queues that have lost their contents get a wake-up for each print job at the next look, once, paused or not', async () => {
    const look = (name: string) => timePasses({ seconds: 0 }, undefined, async () => name)
    await look('before')
    await managed.pause('quarantine')
    await somePrintJobs(5)
    await managed.drain('quarantine')

    expect(await look('before')).toBe(0)
    expect([await look('after'), await waiting()]).toEqual([5, 5])
    expect(await look('after')).toBe(0)
  })

  test('a pass that wakes nothing does not wake the relay, though dependencies are watched', async () => {
    let nudges = 0
    const upWatch = watchDependency({
      ...{ db: pipeline.database.db, dependency: 'object-store', probe: async () => {} },
      ...{ onChange: () => {}, log: createLogger({ service: 'pipeline', level: 'silent' }) },
    })
    const sweep = createSweep({
      ...{ db: pipeline.database.db, objects: pipeline.objects, nudgeRelay: () => (nudges += 1) },
      stages: [{ queue: 'quarantine', status: 'QUARANTINE' }],
      queues: () => queues.counts(),
      incarnation: () => queues.incarnation(),
      outages: { ...nothingAway, watches: [upWatch] },
      onFound: () => {},
    })

    await sweep()

    expect(nudges).toBe(0)
  })

  test('a queue in which a thousand wait gets no more every minute', async () => {
    await somePrintJobs(2)
    await aThousandWait()
    expect([await aMinutePasses(), await waiting()]).toEqual([0, 1_002])
  })

  test('one that loses its wake-up while a thousand others wait is woken exactly once', async () => {
    await somePrintJobs(1)
    await managed.drain('quarantine')
    await aThousandWait()
    const woken: number[] = []

    for (let minute = 0; minute < 20; minute++) woken.push(await aMinutePasses())

    expect(woken.filter((count) => count > 0)).toEqual([1])
    expect(await waiting()).toBe(1_001)
  })

  test('while the queues do not say how they stand only what is long overdue is woken', async () => {
    await somePrintJobs(1)
    const unknown = async () => {
      throw new Error('no queue')
    }

    expect(await timePasses({ seconds: 61 }, unknown)).toBe(0)
    expect(await timePasses({ seconds: 15 * 60 }, unknown)).toBe(1)
  })
})
