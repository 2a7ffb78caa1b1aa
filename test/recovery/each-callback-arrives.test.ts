import { randomInt } from 'node:crypto'
import { cloneDatabase } from '@despatch/testing/clone-database'
import { eventually } from '@despatch/testing/eventually'
import { describe, expect, test } from 'vitest'
import { deliverUnderFire } from '../faults/callbacks/deliver-under-fire.ts'
import { checkDeliveries } from '../faults/checks/check-deliveries.ts'
import { type NewCallback, readCallbacks } from '../faults/facts/deliveries.ts'
import { startRecordingReceiver } from '../stack/callbacks/recording-receiver.ts'
import { startDelivery } from '../stack/callbacks/start-delivery.ts'

const seed = randomInt(1, 2 ** 31)
const callbacksUnderFire = 1_000
const printJobsMax = 100
const retryParams = { enabled: true, maxRetryWindow: 60 }

// Both run at the same time: they mostly wait for leases to expire.
describe.concurrent('a deliverer', () => {
  test(`${callbacksUnderFire} callbacks with deliverers killed throughout: each is delivered, and twice only if unavoidable (seed ${seed})`, async () => {
    await using parts = new AsyncDisposableStack()
    const { url: databaseUrl, drop } = await cloneDatabase()
    parts.defer(drop)

    const told: string[] = []
    const { findings, counts } = await deliverUnderFire({
      databaseUrl,
      callbacks: callbacksUnderFire,
      deliverers: 2,
      receivers: 4,
      // long enough for a callback that is lost three times
      windowsSeconds: [240],
      seed,
      addForMs: 10_000,
      killsMax: 5,
      gapMsMax: 1_000,
      // slow enough that some calls are always under way
      answerMsMax: 250,
      isWorse: false,
      deadlineMs: 180_000,
      tell: (line) => told.push(`${(performance.now() / 1_000).toFixed(1)} s  ${line}`),
    })

    expect(findings, told.join('\n')).toEqual([])
    expect(counts.delivered).toBe(callbacksUnderFire)
    expect(counts.kills).toBeGreaterThanOrEqual(5)
  })

  /** Starts consumers that answer after `answerMs` milliseconds, and adds print jobs that call them. */
  async function aDelivery(answerMs: number) {
    const parts = new AsyncDisposableStack()
    const { url: databaseUrl, drop } = await cloneDatabase()
    parts.defer(drop)
    const delivery = parts.use(await startDelivery(databaseUrl))
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

  const statesOf = (callbacks: readonly NewCallback[]) =>
    Object.fromEntries(
      [...Map.groupBy(callbacks, ({ state }) => state)].map(([state, { length }]) => [
        state,
        length,
      ]),
    )

  test('callbacks of a deliverer frozen past its lease are delivered by another, and the first changes nothing', async () => {
    await using delivered = await aDelivery(100)
    const { delivery, printJobs } = delivered
    await using frozen = await delivery.startDeliverer()
    await delivery.owe(printJobs)
    await eventually(() => delivered.calls().some(({ endedAt }) => endedAt === undefined), {
      pollMs: 2,
      message: 'a call is under way',
    })

    const frozenAt = Date.now()
    frozen.process.kill('SIGSTOP')
    await using _other = await delivery.startDeliverer()
    await delivery.untilAllIsOver(60_000)
    const before = await delivered.read()
    const thawedAt = Date.now()
    frozen.process.kill('SIGCONT')
    // It stops only after it has sent everything that it still had to send.
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
