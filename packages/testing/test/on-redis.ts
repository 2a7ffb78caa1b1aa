import { randomUUID } from 'node:crypto'
import { openUsageStore } from '@despatch/access/usage-store'
import { openQueues } from '@despatch/queue/open-queues'
import type { Task } from '@despatch/queue/queues'
import { createLogger } from '@despatch/telemetry/logger'
import { createMetrics } from '@despatch/telemetry/metrics'
import { eventually } from '@despatch/testing/eventually'
import { onTestFinished } from 'vitest'

/** Opens queues of a test at this address, and consumes one. */
export function someQueues(url: string) {
  const errors: Error[] = []
  const onError = (error: Error) => void errors.push(error)
  const queues = openQueues({ url, prefix: randomUUID(), onError })
  onTestFinished(() => queues.close())
  const seen = new Set<string>()
  const see = async ({ subject }: Task) => void seen.add(subject)
  const consumer = queues.consume('letters', see, { concurrency: 1, onError })
  onTestFinished(() => consumer.close())
  return {
    /** Offers a task until the queue acknowledges it, as the scheduler does. */
    enqueue: (subject: string = randomUUID()) =>
      eventually(() => queues.enqueue('letters', [{ subject, epoch: 1 }]).then(() => subject), {
        message: 'a task is acknowledged',
      }),
    untilSeen: (subjects: readonly string[]) =>
      eventually(() => subjects.every((subject) => seen.has(subject)), {
        message: 'every task is seen',
      }),
  }
}

export function aUsageStore(queueUrl: string) {
  const store = openUsageStore({
    queueUrl,
    pool: undefined as never,
    log: createLogger({ service: 'print-request', destination: { write: () => {} } }),
    metrics: createMetrics('print-request'),
  })
  onTestFinished(() => store.close())
  return store
}
