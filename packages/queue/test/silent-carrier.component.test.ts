import { randomUUID } from 'node:crypto'
import { unavailableDependency } from '@despatch/domain/outage/unavailable-dependency'
import { eventually } from '@despatch/testing/eventually'
import { takeQueueBackends } from '@despatch/testing/queue-backends'
import { startTcpProxy, type TcpProxy } from '@despatch/testing/tcp-proxy'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { manageQueues } from '../src/manage-queues.ts'
import { openQueues } from '../src/open-queues.ts'
import { prepareQueues } from '../src/prepare-queues.ts'
import { queueNames } from '../src/queues.ts'

const queueBackends = await takeQueueBackends()

const answerMsMax = 300
const succeeds = (call: Promise<unknown>) =>
  call.then(
    () => true,
    () => false,
  )

describe.each(queueBackends)('a $name that accepts bytes and never answers', ({ url }) => {
  beforeAll(() => prepareQueues(url))

  async function aProxy(): Promise<TcpProxy> {
    const proxy = await startTcpProxy({ port: Number(new URL(url).port) })
    onTestFinished(() => proxy.close())
    return proxy
  }

  function openThrough(proxy: TcpProxy) {
    const seen: string[] = []
    const onError = () => {}
    const queues = openQueues({ url: proxy.through(url), answerMsMax, onError })
    onTestFinished(() => queues.close())
    const consumer = queues.consume('letters', async ({ subject }) => void seen.push(subject), {
      concurrency: 2,
      onError,
    })
    onTestFinished(() => consumer.close())
    const subject = randomUUID()
    const enqueue = () => queues.enqueue('letters', [{ subject, epoch: 1 }])
    const isDone = async () => {
      await eventually(() => succeeds(enqueue()), { message: 'the queue takes tasks' })
      await eventually(() => seen.includes(subject), { message: 'the task is seen' })
    }
    return { queues, consumer, enqueue, isDone }
  }

  // a busy machine may need longer for a first connection than an answer may take
  const isConnected = (queues: ReturnType<typeof openThrough>['queues']) =>
    eventually(() => succeeds(queues.counts()), { message: 'the queues are connected' })

  const errorOf = (call: Promise<unknown>) => call.catch((error: unknown) => error)

  test('makes calls fail, and is used again automatically when it answers', async () => {
    const proxy = await aProxy()
    const { queues, enqueue, isDone } = openThrough(proxy)
    await isConnected(queues)

    proxy.hang()
    expect(unavailableDependency(await errorOf(enqueue()))).toBe('queue')
    expect(unavailableDependency(await errorOf(queues.counts()))).toBe('queue')
    proxy.resume()

    await isDone()
  })

  test('may be silent when the process starts', async () => {
    const proxy = await aProxy()
    proxy.hang()
    const { enqueue, isDone } = openThrough(proxy)

    expect(unavailableDependency(await errorOf(enqueue()))).toBe('queue')
    // Its first connection has failed by now, and that failure is not remembered.
    await errorOf(enqueue())
    await errorOf(enqueue())
    await errorOf(enqueue())
    proxy.resume()

    await isDone()
  })

  test('does not keep the process from closing', async () => {
    const proxy = await aProxy()
    const { queues, consumer } = openThrough(proxy)
    await isConnected(queues)

    proxy.hang()

    await consumer.close()
    await queues.close()
  })

  test('is asked again by operators when it is back', async () => {
    const proxy = await aProxy()
    const managed = manageQueues({ url: proxy.through(url), answerMsMax, onError: () => {} })
    onTestFinished(() => managed.close())

    proxy.refuse()
    expect(unavailableDependency(await errorOf(managed.list()))).toBe('queue')
    proxy.resume()

    await eventually(async () => (await managed.list()).length === queueNames.length, {
      message: 'all queues are listed',
    })
  })
})
