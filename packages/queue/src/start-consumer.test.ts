import { EventEmitter } from 'node:events'
import { expect, test } from 'vitest'
import type { Backend } from './backend.ts'
import type { TaskHandler } from './queues.ts'
import { defaultTimings, startConsumer } from './start-consumer.ts'

/** Starts a consumer on a worker that the test drives. */
function aConsumer(handler: TaskHandler) {
  const worker = Object.assign(new EventEmitter(), {
    waitUntilReady: async () => {},
    close: async () => {},
    cancelJob: () => true,
  })
  let process: ((job: object) => Promise<unknown>) | undefined
  const backend = {
    worker: (_name: string, processor: typeof process) => {
      process = processor
      return worker
    },
  } as unknown as Backend
  const errors: string[] = []
  const onError = ({ message }: Error) => void errors.push(message)
  const options = { concurrency: 1, onError, timings: defaultTimings, closeMsMax: 1_000 }
  startConsumer(backend, 'letters', handler, options)
  /** BullMQ reports a lock that it could not renew in this order. */
  const failRenewal = (id: string) => {
    worker.emit('lockRenewalFailed', [id])
    worker.emit('error', new Error(`could not renew lock for job ${id}`))
  }
  return { errors, failRenewal, take: (id: string) => process!({ id, data: {} }) }
}

test('a lock lost during a task is an error, and a lock lost after its end is not', async () => {
  const { promise: isOver, resolve: end } = Promise.withResolvers<void>()
  const { errors, failRenewal, take } = aConsumer(() => isOver)
  const done = take('task')

  failRenewal('task')
  expect(errors).toEqual(['could not renew lock for job task'])

  end()
  await done
  failRenewal('task')
  expect(errors).toHaveLength(1)
})
