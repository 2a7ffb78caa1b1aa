import { checkAddresses } from './addresses.ts'
import { checkBucket } from './bucket.ts'
import { checkCallbackAllow } from './callback-allow.ts'
import { checkCredentials } from './credentials.ts'
import { checkDatabase } from './database.ts'
import type { Check, Examined, Finding } from './finding.ts'
import { checkQueuePolicy } from './queue-policy.ts'
import { checkSecretKeys } from './secret-key.ts'

const nodeMajorMin = 24

/** Checks the Node that runs this command, and the services if they are started from here. */
const checkNodeVersion: Check = async () => [judgeNodeVersion(process.versions.node)]

/** All checks, in the order of their findings. */
const checks: readonly Check[] = [
  checkNodeVersion,
  checkAddresses,
  checkCredentials,
  checkDatabase,
  checkQueuePolicy,
  checkBucket,
  checkSecretKeys,
  checkCallbackAllow,
]

/** Runs all checks at once. */
export async function examine(examined: Examined): Promise<Finding[]> {
  return (await Promise.all(checks.map((check) => check(examined)))).flat()
}

export function judgeNodeVersion(version: string): Finding {
  const subject = 'Node.js'
  const found = `version ${version}`
  if (Number(version.split('.')[0]) >= nodeMajorMin) return { subject, state: 'good', found }
  return {
    subject,
    state: 'bad',
    found,
    mend: `run npm ci, which installs Node.js ${nodeMajorMin}`,
  }
}
