import type { Scenario } from './scenario.ts'

/** Longer than the lock of a queue and the queue's interval for stalled tasks. */
const blockedMs = 20_000

/** Blocks the main thread of a process when it gets the signal, without using the processor. */
const blocking = `process.on('SIGUSR2',()=>Atomics.wait(new Int32Array(new SharedArrayBuffer(4)),0,0,${blockedMs}))`

export const eventLoopBlocked: Scenario = {
  number: 7,
  name: 'the event loop of a worker is blocked until its leases and locks expire, then continues its work',
  holds: 'I4 I7; another worker does the work meanwhile, and the late writes change nothing',
  queues: 'each',
  isOnce: true,
  plan: {
    lettersPerSecond: 4,
    memberSettings: (name): Record<string, string> =>
      name === 'pipeline-1' || name === 'callbacks-1'
        ? { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(blocking)}` }
        : {},
    strike: async (world) => {
      const { pipelines, deliverers } = world.fleet
      await world.blow('event loops of a pipeline and a deliverer blocked', async () => {
        for (const member of [pipelines[0]!, deliverers[0]!]) process.kill(member.pid(), 'SIGUSR2')
        await world.pause(blockedMs)
        world.noteThaw()
      })
    },
  },
}
