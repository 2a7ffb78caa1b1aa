import { randomUUID } from 'node:crypto'
import { unavailableDependency } from '@despatch/domain/outage/unavailable-dependency'
import { eventually } from '@despatch/testing/eventually'
import { takeQueueBackends } from '@despatch/testing/queue-backends'
import { endsTransaction, startTcpProxy } from '@despatch/testing/tcp-proxy'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { openQueues } from '../src/open-queues.ts'
import { prepareQueues } from '../src/prepare-queues.ts'

const queueBackends = await takeQueueBackends()

const timings = { lockDurationMs: 1_000, stalledIntervalMs: 200 }

describe.each(queueBackends)('a $name whose reply is lost', ({ name, url }) => {
  beforeAll(() => prepareQueues(url))

  async function aProxy() {
    const proxy = await startTcpProxy({ port: Number(new URL(url).port) })
    onTestFinished(() => proxy.close())
    const isComplete = name === 'postgres' ? endsTransaction : () => true
    return {
      url: proxy.through(url),
      loseReplyTo: (text: string) =>
        proxy.loseReply({ request: (bytes) => bytes.includes(text), isComplete }),
    }
  }

  function open(address: string) {
    const queues = openQueues({ url: address, timings, onError: () => {} })
    onTestFinished(() => queues.close())
    return queues
  }

  /** Counts how often each task is done. */
  function consume(queues: ReturnType<typeof open>) {
    const done = new Map<string, number>()
    const consumer = queues.consume(
      'slow',
      async ({ subject }) => void done.set(subject, (done.get(subject) ?? 0) + 1),
      { concurrency: 2, onError: () => {} },
    )
    onTestFinished(() => consumer.close())
    return done
  }

  const isEmpty = (queues: ReturnType<typeof open>) =>
    eventually(
      async () => {
        const states = await queues.counts()
        const state = states.find((one) => one.name === 'slow')
        return state?.waiting === 0 && state.active === 0
      },
      { message: 'nothing is left in the queue' },
    )

  test('accepts the same tasks again, and delivers each task once', async () => {
    const proxy = await aProxy()
    const queues = open(proxy.url)
    await queues.counts()
    const tasks = [1, 2, 3].map((epoch) => ({ subject: randomUUID(), epoch }))

    const lost = proxy.loseReplyTo(tasks[2]!.subject)
    const error = await queues.enqueue('slow', tasks).catch((reason: unknown) => reason)
    await lost
    // The client of the carrier may have retried automatically.
    expect([undefined, 'queue']).toContain(unavailableDependency(error))
    await eventually(() => queues.enqueue('slow', tasks).then(() => true), {
      message: 'the tasks are taken',
    })

    const done = consume(open(url))
    const last = { subject: randomUUID(), epoch: 1 }
    await queues.enqueue('slow', [last])
    await eventually(() => [...tasks, last].every(({ subject }) => done.has(subject)), {
      message: 'all tasks are done',
    })
    await isEmpty(queues)
    expect(tasks.map(({ subject }) => done.get(subject))).toEqual([1, 1, 1])
  })

  test('still ends the task, and the worker continues', async () => {
    const proxy = await aProxy()
    const done = consume(open(proxy.url))
    const queues = open(url)
    const first = { subject: randomUUID(), epoch: 1 }
    const lost = proxy.loseReplyTo(first.subject)

    await queues.enqueue('slow', [first])
    await lost

    const next = { subject: randomUUID(), epoch: 1 }
    await queues.enqueue('slow', [next])
    await eventually(() => done.has(first.subject) && done.has(next.subject), {
      message: 'both tasks are done',
    })
    await isEmpty(queues)
  })
})
