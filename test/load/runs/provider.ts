import { generateApiKey } from '@despatch/access/api-keys'
import { seedConsumer } from '@despatch/access/seed'
import { openSigningKey } from '@despatch/access/signing-key'
import { issueToken } from '@despatch/access/tokens'
import { insertProvider } from '@despatch/store/access/consumers'
import { saveUsagePlan } from '@despatch/store/access/usage-plan-limits'
import type { Db } from '@despatch/store/database'
import { benchPassword } from '../consumer.ts'

const providerId = 'bench'
export const providerUserName = 'bench-provider'
const roles = ['provider'] as const
const service = 'print-fulfilment'
/** Requests are counted as in production, but the limit is never reached. */
const limit = { requestsPerSecond: 1_000_000, burst: 0, requestsPerDay: null }

/** Inserts a provider with one site that prints everything. Returns the headers that authenticate it. */
export async function makeProvider(db: Db, secretKeyHex: string) {
  await saveUsagePlan(db, { name: 'standard', limits: [{ service, ...limit }] })
  await insertProvider(db, { id: providerId, name: 'Bench', printLocations: ['BENCH'] })
  const apiKey = generateApiKey()
  const consumerId = await seedConsumer(db, {
    userName: providerUserName,
    name: 'Bench provider',
    password: benchPassword,
    apiKey,
    roles,
    providerId,
    contracts: [],
  })
  const signingKey = await openSigningKey({ db, secretKeyHex })
  const token = await issueToken(await signingKey(), { consumerId, roles }, new Date())
  return { authorization: token, 'x-api-key': apiKey }
}
