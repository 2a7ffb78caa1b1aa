import { randomUUID } from 'node:crypto'
import { openQueues } from '@despatch/queue/open-queues'
import { shared } from '@despatch/testing/shared'
import { expect, test } from 'vitest'
import { aRunningDespatch } from './a-running-despatch.ts'

const running = await shared(aRunningDespatch())

async function say(...commandLine: string[]): Promise<string> {
  const { code, stdout, stderr } = await running.despatch(commandLine)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return stdout
}

async function someWakeUps(count: number): Promise<void> {
  const queues = openQueues({ url: running.databaseUrl, onError: () => {} })
  await queues.enqueue(
    'slow',
    Array.from({ length: count }, () => ({ subject: randomUUID(), epoch: 1 })),
  )
  await queues.close()
}

test('a queue is paused, seen, drained, redriven and resumed', async () => {
  await someWakeUps(3)

  const paused = await say('queues', 'pause', 'slow', '--yes')
  const status = await say('queues', 'status')
  const drained = await say('queues', 'drain', 'slow', '--yes')
  const redriven = await say('queues', 'redrive', 'slow', '--yes')
  const resumed = await say('queues', 'resume', 'slow')
  const { queues } = await running.documentOf('queues', 'status')

  expect(paused).toBe('Queue slow is paused; 3 waiting.\n')
  expect(status).toMatch(/^slow +paused +3 +0 +0 +0$/m)
  expect(status).toMatch(/^letters +open +0 +0 +0 +0$/m)
  expect(drained).toBe('3 wake-ups were removed from queue slow.\n')
  expect(redriven).toBe('Queue slow: 0 failed tasks retried, 0 print jobs woken.\n')
  expect(resumed).toBe('Queue slow is resumed; 0 waiting.\n')
  expect(queues.map(({ isPaused }: { isPaused: boolean }) => isPaused)).toEqual([
    false,
    false,
    false,
  ])
})

test.each([
  ['pause', 'No more tasks are taken from it'],
  ['drain', 'Nothing is lost'],
  ['redrive', 'Failed tasks are retried'],
])(
  '%s tells its consequences, and does nothing where nobody can agree',
  async (change, consequence) => {
    const ended = await running.despatch(['queues', change, 'letters'])

    expect(ended).toMatchObject({ code: 2, stderr: 'despatch: nothing was changed: give --yes\n' })
    expect(ended.stdout).toContain(consequence)
    expect(ended.stdout).toMatch(/^letters +open /m)
  },
)

test('a queue that there is not is refused', async () => {
  const ended = await running.despatch(['queues', 'resume', 'quarantine'])

  expect([ended.code, ended.stdout]).toEqual([1, ''])
  expect(ended.stderr).toContain('queue')
})
