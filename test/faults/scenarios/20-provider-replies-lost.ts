import { randomUUID } from 'node:crypto'
import { eventually } from '@despatch/testing/eventually'
import {
  aProvider,
  type Provider,
  type ProviderAnswer,
} from '../../stack/provider-loop/a-provider.ts'
import { movesLetters } from '../ground/requests.ts'
import type { World } from '../run-under-faults.ts'
import { momentMsMax } from './blows.ts'
import type { Scenario } from './scenario.ts'

/** The factory's writes. The reply to the first of each is lost, twice. */
const writes = [
  /\/claim$/,
  /\/acknowledgement$/,
  /events$/,
  /\/postings$/,
  /\/confirm$/,
  /\/close$/,
]

/** The members of a claim that are frozen with the run. */
const frozen = ['manifestDigest', 'documentCount', 'sheetCount', 'pageCount', 'byteCount'] as const

const stallMs = 500

/**
 * Claims a run on behalf of the factory, with two keys at once, and loses a reply. A repeat with the same key must
 * return the same answer, and another key the same documents. Then the lease ends, as after a quarter of an hour, and
 * the factory finds the run released.
 */
async function claimAgain(world: World, colleague: Provider): Promise<void> {
  const { gateway, members } = world.fleet.printing!
  const batchNumber = await eventually(
    async () => {
      const { body } = await colleague.call('GET', '/print-runs?state=RELEASED&limit=1')
      return body.printRuns[0]?.batchNumber as string | undefined
    },
    { deadlineMs: momentMsMax, message: 'a print run is released' },
  )
  const [key, otherKey] = [randomUUID(), randomUUID()]
  const lost = gateway.cutNext('POST', /\/claim$/)
  // The first claim waits in the middle of its transaction, and the second begins meanwhile.
  const stalled = members[0]!.links.database.stopAt({
    request: movesLetters,
    at: 'before-request',
    act: async () => {
      await world.pause(stallMs)
      return 'pass'
    },
  })
  await Promise.allSettled([key, otherKey].map((one) => colleague.claim(batchNumber, one)))
  await Promise.all([stalled, lost])
  const answers = [
    await colleague.claim(batchNumber, key),
    await colleague.claim(batchNumber, key),
    await colleague.claim(batchNumber, otherKey),
  ] as const
  const [first, repeat, another] = answers
  const see = (rule: string, isSo: boolean) => {
    if (isSo) return
    const detail = `was answered ${answers.map(({ status }) => status).join(', ')}`
    world.seen.push({ rule, subject: batchNumber, detail })
  }
  see(
    'a claim may be repeated',
    answers.every(({ status }) => status === 200),
  )
  see('a claim that is repeated is given the same answer', first.text === repeat.text)
  see('a run that was claimed never changes', frozenOf(first) === frozenOf(another))
  await world.blow('the lease of the claim ends', () =>
    world.database.pool.query('update print_run set lease_until = now() where batch_number = $1', [
      batchNumber,
    ]),
  )
}

function frozenOf({ body }: ProviderAnswer): string {
  return frozen.map((member) => body[member]).join()
}

export const providerRepliesLost: Scenario = {
  number: 20,
  name: "replies to a provider's claims and reports are lost; a factory is killed before it learns of its claim",
  holds: 'I4; the repeat gets the same documents, and nothing is printed twice',
  queues: 'once',
  plan: {
    strike: async (world) => {
      const { gateway, factory, credential } = world.fleet.printing!
      for (const _ of [1, 2]) {
        for (const path of writes) {
          await world.blow(`reply to ${path.source} lost`, () =>
            Promise.race([gateway.cutNext('POST', path), world.pause(5_000)]),
          )
        }
      }
      const colleague = await aProvider(gateway.url, { id: 'colleague', credential })
      await world.blow('the factory is killed before it knows of its claim', async () => {
        await gateway.cutNext('POST', writes[0]!)
        await factory.kill(() => claimAgain(world, colleague))
      })
    },
  },
}
