import { generateApiKey } from '@despatch/access/api-keys'
import { seedConsumer } from '@despatch/access/seed'
import { openSigningKey } from '@despatch/access/signing-key'
import { issueToken } from '@despatch/access/tokens'
import { saveUsagePlan } from '@despatch/store/access/usage-plan-limits'
import type { Db } from '@despatch/store/database'
import type { Ground } from './ground.ts'

/** A consumer that may submit letters and PDF files as supplied and find drivers, without a practical rate limit. */
export type BenchConsumer = {
  consumerId: string
  apiKey: string
  /** Expires after an hour. */
  token: string
  /** Returns another token, without asking the database. */
  signIn(): Promise<string>
  /** Of a request with a JSON body. */
  headers: { authorization: string; 'x-api-key': string; 'content-type': string }
}

/** Of every user of a bench. */
export const benchPassword = 'Pa$$word1'
const roles = ['consumer'] as const
const services = ['print-request', 'driver-find'] as const
const requestsPerSecond = 1_000_000

export async function makeConsumer(
  db: Db,
  { environment }: Pick<Ground, 'environment'>,
  userName = 'bench-consumer',
): Promise<BenchConsumer> {
  const secretKeyHex = environment.DESPATCH_KEY_SIGNING!
  // Requests are counted as in production, but the limit is never reached.
  const limit = { requestsPerSecond, burst: 0, requestsPerDay: null }
  await saveUsagePlan(db, {
    name: 'standard',
    limits: services.map((service) => ({ service, ...limit })),
  })
  const apiKey = generateApiKey()
  const consumerId = await seedConsumer(db, {
    userName,
    name: 'Bench consumer',
    password: benchPassword,
    apiKey,
    roles,
    services,
    contracts: [
      { jobType: 'LETTER', templateReference: 'LETTER', production: 'letter' },
      {
        jobType: 'NOTIFY',
        templateReference: 'NOTIFY',
        production: 'as-supplied',
        suppliedFileKey: 'pdfContent',
      },
    ],
  })
  const openKey = await openSigningKey({ db, secretKeyHex })
  const signingKey = await openKey()
  const signIn = () => issueToken(signingKey, { consumerId, roles }, new Date())
  const token = await signIn()
  const headers = { authorization: token, 'x-api-key': apiKey, 'content-type': 'application/json' }
  return { consumerId, apiKey, token, signIn, headers }
}
