import { randomUUID } from 'node:crypto'
import { type ConsumerSeed, seedConsumer } from '@despatch/access/seed'
import { openSigningKey } from '@despatch/access/signing-key'
import { issueToken } from '@despatch/access/tokens'
import type { Db } from '@despatch/store/database'

type Options = { db: Db; secretKeyHex: string; now?: () => Date }
type Detail = Partial<ConsumerSeed> & { usagePlan?: string }

/** Returns a function that creates consumers, and returns the id and the credential headers of each. */
export async function signsInConsumers({ db, secretKeyHex, now = () => new Date() }: Options) {
  const signingKey = await openSigningKey({ db, secretKeyHex })
  return async ({ usagePlan, ...detail }: Detail = {}) => {
    const apiKey = randomUUID()
    const seed = { userName: apiKey, name: 'A consumer', password: 'Pa$$word1', apiKey }
    const roles = detail.roles ?? ['consumer']
    const consumerId = await seedConsumer(db, { ...seed, contracts: [], ...detail, roles })
    if (usagePlan !== undefined) {
      const change = db.updateTable('consumer').set({ usage_plan: usagePlan })
      await change.where('id', '=', consumerId).execute()
    }
    const token = await issueToken(await signingKey(), { consumerId, roles }, now())
    return { consumerId, headers: { authorization: token, 'x-api-key': apiKey } }
  }
}
