import { randomUUID } from 'node:crypto'
import { openQueues } from '@despatch/queue/open-queues'
import { type QueueName, queueNames } from '@despatch/queue/queues'
import { shared } from '@despatch/testing/shared'
import { expect, test } from 'vitest'
import { aRunningDespatch } from './a-running-despatch.ts'

const running = await shared(aRunningDespatch())
const { say } = running

async function someTasks(queue: QueueName, count: number): Promise<void> {
  const queues = openQueues({ url: running.databaseUrl, onError: () => {} })
  await queues.enqueue(
    queue,
    Array.from({ length: count }, () => ({ subject: randomUUID(), epoch: 1 })),
  )
  await queues.close()
}

test.each(queueNames)(
  'the queue %s is paused, seen, drained, redriven and resumed',
  async (queue) => {
    const other = queueNames.find((name) => name !== queue)
    await someTasks(queue, 3)

    const paused = await say(`queues pause ${queue} --reason "the printer is repaired" --yes`)
    const listed = await say('queues list')
    const drained = await say(`queues drain ${queue} --yes`)
    const redriven = await say(`queues redrive ${queue} --yes`)
    const resumed = await say(`queues resume ${queue}`)
    const { queues } = await running.documentOf('queues status')

    expect(paused).toBe(`Queue ${queue} is paused; 3 waiting.\n`)
    expect(listed).toMatch(
      new RegExp(
        `^${queue} +paused +3 +0 +0 +0 +\\S+ +\\S+Z +chief +the printer is repaired$`,
        'm',
      ),
    )
    expect(listed).toMatch(new RegExp(`^${other} +open +0 +0 +0 +0 +\\S+ +- +- +-$`, 'm'))
    expect(drained).toBe(`3 tasks were removed from queue ${queue}.\n`)
    expect(redriven).toBe(`Queue ${queue}: 0 failed tasks retried, 0 print jobs woken.\n`)
    expect(resumed).toBe(`Queue ${queue} is resumed; 0 waiting.\n`)
    expect(queues.map(({ isPaused }: { isPaused: boolean }) => isPaused)).toEqual(
      queueNames.map(() => false),
    )
  },
)

test('a queue that there is not is refused', async () => {
  const ended = await running.despatch('queues resume quarantine')

  expect([ended.code, ended.stdout]).toEqual([1, ''])
  expect(ended.stderr).toContain('queue')
})
