import { aKeptLog } from '@despatch/testing/a-kept-log'
import { eventually } from '@despatch/testing/eventually'
import { takeQueueBackends } from '@despatch/testing/queue-backends'
import { startTcpProxy } from '@despatch/testing/tcp-proxy'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { aPipeline } from './a-pipeline.ts'

const queueBackends = await takeQueueBackends()

/** Longer than a busy machine takes to answer. */
const deadlines = {
  silenceMsMax: 1_500,
  answerMsMax: 1_500,
  objects: { requestMsMax: 1_200, callMsMax: 1_500, stallMsMax: 1_200 },
}

/** The log text of a call that ended at its deadline. */
const peers = [
  { peer: 'database', ends: /SilentServer/ },
  { peer: 'queue', ends: /The queue is unavailable/ },
  { peer: 'object-store', ends: /object-store.*dependency\.away/ },
] as const

describe.each(queueBackends)('with queues on $name', ({ url }) => {
  test.each(peers)(
    'after a silent $peer answers again, letters continue',
    async ({ peer, ends }) => {
      const { log, lines } = aKeptLog('pipeline')
      const pipeline = await aPipeline(url, {}, log)
      onTestFinished(() => pipeline.close())
      const { endpoint } = inject('infra').objectStore
      const addresses = { database: pipeline.url, queue: url, 'object-store': endpoint }
      const proxy = await startTcpProxy({ port: Number(new URL(addresses[peer]).port) })
      onTestFinished(() => proxy.close())
      const through = {
        database: { DATABASE_URL: proxy.through(pipeline.url) },
        queue: { QUEUE_URL: proxy.through(url) },
        'object-store': { S3_ENDPOINT: new URL(proxy.through(endpoint)).origin },
      }
      await pipeline.start({ settings: through[peer], deadlines })
      await pipeline.reached(await pipeline.submit(), 'PENDING')

      proxy.hang()
      const key = await pipeline.submit()
      await eventually(() => lines.some((line) => ends.test(line)), {
        message: 'a call has ended with its deadline',
      })
      proxy.resume()

      expect(await pipeline.reached(key, 'PENDING')).toBe('PENDING')
    },
  )
})
