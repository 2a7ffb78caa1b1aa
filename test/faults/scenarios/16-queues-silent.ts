import type { Scenario } from './scenario.ts'

export const queuesSilent: Scenario = {
  number: 16,
  name: 'the queues accept bytes and say nothing, then refuse connections',
  holds: 'I1 I10; workers go on without a restart, and intake accepts letters meanwhile',
  queues: 'each',
  plan: {
    strike: async (world) => {
      const { ground } = world
      await world.outage('queue', async () => {
        for (const fault of ['hang', 'refuse'] as const) {
          ground.toAll('queue', fault)
          await world.pause(fault === 'hang' ? 8_000 : 3_000)
        }
        ground.toAll('queue', 'resume')
      })
    },
    judge: ({ fleet }) =>
      fleet.members
        .filter((member) => member.restarts() > 0)
        .map(({ name }) => ({
          rule: 'workers go on without a restart',
          subject: name,
          detail: 'was started again',
        })),
  },
}
