import type { Scenario } from './scenario.ts'

/** What the factory asks that changes something. The reply to the first of each is lost, twice. */
const writes = [
  /\/claim$/,
  /\/acknowledgement$/,
  /events$/,
  /\/postings$/,
  /\/confirm$/,
  /\/close$/,
]

export const providerRepliesLost: Scenario = {
  number: 20,
  name: "replies to the provider's claim and reports are lost; the factory is lost with one",
  holds: 'I4; the repeat is given the same documents, and nothing is printed twice',
  queues: 'once',
  plan: {
    strike: async (world) => {
      const { gateway, factory } = world.fleet.printing!
      for (const _ of [1, 2]) {
        for (const path of writes) {
          await world.blow(`reply to ${path.source} lost`, () =>
            Promise.race([gateway.cutNext('POST', path), world.pause(5_000)]),
          )
        }
      }
      await world.blow('the factory is killed before it knows of its claim', async () => {
        await gateway.cutNext('POST', writes[0]!)
        await factory.kill()
      })
    },
  },
}
