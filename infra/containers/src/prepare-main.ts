// Runs before the services of a release start: migrates the database and the queues, creates the logins of the
// services, and creates the trial's users.
import { mkdir } from 'node:fs/promises'
import { readConfig } from '@despatch/config/read-config'
import {
  databaseSettings,
  enquiryAuditSettings,
  environmentSettings,
  queueSettings,
} from '@despatch/config/shared-settings'
import { prepareQueues } from '@despatch/queue/prepare-queues'
import { writeCredentials } from '@despatch/standalone/credentials'
import { databasePasswordsSetting } from '@despatch/standalone/database-passwords'
import { explainStartFailure } from '@despatch/standalone/explain-start-failure'
import { credentialsElsewhere, findUsers } from '@despatch/standalone/find-users'
import { seedUsers } from '@despatch/standalone/seed-users'
import { migrate } from '@despatch/store/migrate'
import { z } from 'zod'

try {
  const config = readConfig(
    z.object({
      ...databaseSettings,
      ...databasePasswordsSetting,
      ...queueSettings,
      ...environmentSettings,
      ...enquiryAuditSettings,
      DESPATCH_DATA_DIR: z.string().default('/data'),
      DESPATCH_BASE_URL: z.string(),
      DESPATCH_OPS_URL: z.string(),
    }),
    process.env,
  )

  const { DATABASE_URL: ownerUrl, DESPATCH_DATA_DIR: directory } = config
  const { applied } = await migrate(ownerUrl, {
    log: (line) => void process.stdout.write(`${line}\n`),
    ...(config.DESPATCH_DATABASE_PASSWORDS && { passwords: config.DESPATCH_DATABASE_PASSWORDS }),
    isTestEnvironment: config.DESPATCH_ENVIRONMENT === 'uat',
    enquiryAuditDays: config.DESPATCH_ENQUIRY_AUDIT_DAYS,
    mustBeDurable: config.DESPATCH_ENVIRONMENT !== 'uat',
  })
  await prepareQueues(config.QUEUE_URL ?? ownerUrl)
  await mkdir(directory, { recursive: true })
  const { users } = await findUsers(ownerUrl, directory, { isEmbedded: false })
  let place = credentialsElsewhere
  if (users) {
    const { DESPATCH_BASE_URL: baseUrl, DESPATCH_OPS_URL: opsUrl } = config
    place = `in ${await writeCredentials(directory, { baseUrl, opsUrl, ...users })}`
    await seedUsers(ownerUrl, users)
  }
  process.stdout.write(`${applied.length} migrations applied; the credentials are ${place}\n`)
} catch (error) {
  process.stderr.write(`Despatch cannot be prepared: ${explainStartFailure(error)}\n`)
  process.exitCode = 1
}
