import { prepareQueues } from '@despatch/queue/prepare-queues'
import { eventually } from '@despatch/testing/eventually'
import { queueBackends } from '@despatch/testing/queue-backends'
import { describe, expect, test } from 'vitest'
import { checkDeliveries } from '../../faults/callbacks/check-deliveries.ts'
import { type OwedCallback, readCallbacks } from '../../faults/callbacks/deliveries.ts'
import { startRecordingReceiver } from '../../stack/callbacks/recording-receiver.ts'
import { startDelivery } from '../../stack/callbacks/start-delivery.ts'
import { takeCarriers } from '../../stack/provider-loop/carriers.ts'
import { wipeQueues } from '../../stack/wipe-queues.ts'

const printJobsMax = 100
const retryParams = { enabled: true, maxRetryWindow: 60 }
const wipesMax = 5
const firstCallMsMax = 60_000

describe.concurrent.each(queueBackends)('with queues on $name', ({ url: queueUrl }) => {
  /** Consumers that answer after a while, print jobs of theirs, and how it went. */
  async function aDelivery(answerMs: number) {
    const parts = new AsyncDisposableStack()
    const { environment } = parts.use(await takeCarriers())
    await prepareQueues(queueUrl)
    const delivery = parts.use(await startDelivery({ ...environment, QUEUE_URL: queueUrl }))
    const answer = () => ({ status: 204, delayMs: answerMs })
    const receivers = [
      parts.use(await startRecordingReceiver({ answer })),
      parts.use(await startRecordingReceiver({ answer })),
    ]
    const printJobs = await delivery.addPrintJobs(
      Array.from({ length: printJobsMax }, (_, index) => ({
        target: `${receivers[index % receivers.length]!.origin}/callbacks`,
        retryParams,
      })),
    )
    return {
      delivery,
      receivers,
      printJobs,
      calls: () => receivers.flatMap(({ calls }) => calls),
      read: () => readCallbacks(delivery.database, delivery.consumer.consumerId),
      [Symbol.asyncDispose]: () => parts.disposeAsync(),
    }
  }

  const statesOf = (callbacks: readonly OwedCallback[]) =>
    Object.fromEntries(
      Map.groupBy(callbacks, ({ state }) => state)
        .entries()
        .map(([state, each]) => [state, each.length]),
    )

  test('queues wiped again and again: each callback is delivered once, in order and in time', async () => {
    await using delivered = await aDelivery(5)
    const { delivery, printJobs } = delivered
    await using _dispatcher = await delivery.startDispatcher()

    for (let wipes = 1; wipes <= wipesMax; wipes += 1) {
      await delivery.owe(printJobs)
      await wipeQueues(queueUrl)
    }
    await delivery.untilAllIsOver(30_000)

    const callbacks = await delivered.read()
    const calls = delivered.calls()
    expect(checkDeliveries({ callbacks, calls, blows: [], thaws: [] })).toEqual([])
    expect(statesOf(callbacks)).toEqual({ DELIVERED: wipesMax * printJobsMax })
    expect(calls).toHaveLength(wipesMax * printJobsMax)
    const owedAt = new Map(callbacks.map(({ id, owedSince }) => [id, owedSince]))
    const lateness = calls.map(({ id, arrivedAt }) => arrivedAt - owedAt.get(id)!)
    expect(Math.max(...lateness)).toBeLessThan(firstCallMsMax)
  })

  test('a dispatcher frozen past its lease: what it held is delivered by another, and it changes nothing', async () => {
    await using delivered = await aDelivery(100)
    const { delivery, printJobs } = delivered
    await using frozen = await delivery.startDispatcher()
    await delivery.owe(printJobs)
    await eventually(() => delivered.calls().some(({ endedAt }) => endedAt === undefined), {
      pollMs: 2,
      message: 'a call is under way',
    })

    const frozenAt = Date.now()
    frozen.process.kill('SIGSTOP')
    await using _other = await delivery.startDispatcher()
    await delivery.untilAllIsOver(60_000)
    const before = await delivered.read()
    const thawedAt = Date.now()
    frozen.process.kill('SIGCONT')
    // It says goodbye when it has said what it had to say.
    await frozen.kill('SIGTERM')

    expect(await delivered.read()).toEqual(before)
    const struck = { blows: [frozenAt], thaws: [thawedAt] }
    const calls = delivered.calls()
    expect(checkDeliveries({ callbacks: before, calls, ...struck })).toEqual([])
    expect(statesOf(before)).toEqual({ DELIVERED: printJobsMax })
    const outcomes = before.flatMap(({ attempts }) => attempts.map(({ outcome }) => outcome))
    expect(outcomes).toContain('interrupted')
  })
})
