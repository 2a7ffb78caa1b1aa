import { checkAddresses } from './addresses.ts'
import { checkBucket } from './bucket.ts'
import { checkCallbackAllow } from './callback-allow.ts'
import { checkCredentials } from './credentials.ts'
import { checkDatabase } from './database.ts'
import type { Check, Examined, Finding } from './finding.ts'
import { checkNodeVersion } from './node-version.ts'
import { checkQueuePolicy } from './queue-policy.ts'
import { checkSecretKey } from './secret-key.ts'

/** All checks, in the order of their findings. */
const checks: readonly Check[] = [
  checkNodeVersion,
  checkAddresses,
  checkCredentials,
  checkDatabase,
  checkQueuePolicy,
  checkBucket,
  checkSecretKey,
  checkCallbackAllow,
]

/** Runs all checks at once. */
export async function examine(examined: Examined): Promise<Finding[]> {
  return (await Promise.all(checks.map((check) => check(examined)))).flat()
}
