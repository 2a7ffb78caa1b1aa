import type { Scenario } from './scenario.ts'

const absenceMs = 4_000

export const providerEventsShuffled: Scenario = {
  number: 21,
  name: "the provider's events come twice and in another order, with sheets spoiled and replies lost",
  holds: 'I3 I4; each event counts once, and a later one of lower rank changes nothing',
  queues: 'once',
  isOnce: true,
  plan: {
    factoryFloor: {
      eventDuplicateRate: 0.5,
      eventShuffle: true,
      spoilRate: 0.1,
      divertRate: 0.1,
      lostReplyRate: 0.1,
    },
    strike: async (world) => {
      for (const _ of [1, 2]) {
        await world.pause(3_000)
        // Long enough for runs to be released and wait for the factory.
        await world.blow('factory killed', () =>
          world.fleet.printing!.factory.kill(() => world.pause(absenceMs)),
        )
      }
    },
  },
}
