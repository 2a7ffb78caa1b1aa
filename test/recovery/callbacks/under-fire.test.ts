import { randomInt } from 'node:crypto'
import { prepareQueues } from '@despatch/queue/prepare-queues'
import { queueBackends } from '@despatch/testing/queue-backends'
import { describe, expect, test } from 'vitest'
import { deliverUnderFire } from '../../faults/callbacks/deliver-under-fire.ts'
import { takeCarriers } from '../../stack/provider-loop/carriers.ts'

const seed = randomInt(1, 2 ** 31)
const callbacks = 1_000

describe.concurrent.each(queueBackends)('with queues on $name', ({ url: queueUrl }) => {
  test(`${callbacks} callbacks with dispatchers killed throughout: each is delivered, and twice only where it could not be helped (seed ${seed})`, async () => {
    await using carriers = await takeCarriers()
    await prepareQueues(queueUrl)

    const told: string[] = []
    const { findings, counts } = await deliverUnderFire({
      carriers: { ...carriers.environment, QUEUE_URL: queueUrl },
      callbacks,
      dispatchers: 2,
      receivers: 4,
      seed,
      oweForMs: 8_000,
      killsMax: 5,
      gapMsMax: 1_000,
      // so that some are always under way
      answerMsMax: 250,
      isWorse: false,
      deadlineMs: 90_000,
      tell: (line) => told.push(`${(performance.now() / 1_000).toFixed(1)} s  ${line}`),
    })

    if (process.env.TOLD) console.log(told.join('\n'), counts)
    expect(findings, told.join('\n')).toEqual([])
    expect(counts.delivered).toBe(callbacks)
    // it was a fire
    expect(counts.kills).toBeGreaterThanOrEqual(5)
    expect(counts.interrupted).toBeGreaterThan(0)
  })
})
