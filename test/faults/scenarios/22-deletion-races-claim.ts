import { ask } from '../clients/ask.ts'
import { clientPrefix } from '../facts/client-history.ts'
import type { World } from '../run-under-faults.ts'
import { again } from './blows.ts'
import type { Scenario } from './scenario.ts'

const deletedShare = 0.5
/** A letter is gathered and claimed within about a second, so some deletions come before the claim and some after. */
const delaysMsMax = [300, 2_000] as const

/** Deletes about half of the letters that are PENDING while the factory claims them. */
async function deleteSome(world: World, asked: Set<string>): Promise<void> {
  const { database, client, chance } = world
  const { rows } = await database.pool.query<{ id: string }>(
    `select id from print_job where status = 'PENDING' and deleted_at is null`,
  )
  const unasked = rows.filter(({ id }) => !asked.has(id))
  for (const { id } of unasked) asked.add(id)
  await Promise.all(
    unasked
      .filter(() => chance() < deletedShare)
      .map(async ({ id }) => {
        await world.pause(chance() * delaysMsMax[chance() < 0.5 ? 0 : 1])
        const kind = { files: 'none', hasKey: true, isPatient: true, isCalledBack: true } as const
        await ask(
          client.asking,
          { id, process: `${clientPrefix}that deletes ${id}`, kind },
          { operation: 'delete', method: 'DELETE', path: `/print-request/v1/print/jobs/${id}` },
        )
      }),
  )
}

export const deletionRacesClaim: Scenario = {
  number: 22,
  name: 'letters are deleted while they are claimed',
  holds: 'I4; each is answered 204 or is printed, never both',
  queues: 'once',
  plan: {
    lettersPerSecond: 20,
    strike: async (world) => {
      const asked = new Set<string>()
      await world.blow('letters deleted', () =>
        again(world, { forMs: 8_000, everyMs: 20 }, () => deleteSome(world, asked)),
      )
    },
  },
}
