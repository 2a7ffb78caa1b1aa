// Runs before the services of a release start: migrates the database and the queues, and creates the trial's users.
import { mkdir } from 'node:fs/promises'
import { prepareQueues } from '@despatch/queue/prepare-queues'
import { makeUsers, readUsers, writeCredentials } from '@despatch/standalone/credentials'
import { seedUsers } from '@despatch/standalone/seed-users'
import { migrate } from '@despatch/store/migrate'

const {
  DATABASE_URL = '',
  QUEUE_URL = DATABASE_URL,
  DESPATCH_DATA_DIR = '/data',
  DESPATCH_BASE_URL = '',
  DESPATCH_OPS_URL = '',
} = process.env

const { applied } = await migrate(DATABASE_URL, {
  log: (line) => void process.stdout.write(`${line}\n`),
})
await prepareQueues(QUEUE_URL)
await mkdir(DESPATCH_DATA_DIR, { recursive: true })
const users = (await readUsers(DESPATCH_DATA_DIR)) ?? makeUsers()
await seedUsers(DATABASE_URL, users)
const path = await writeCredentials(DESPATCH_DATA_DIR, {
  baseUrl: DESPATCH_BASE_URL,
  opsUrl: DESPATCH_OPS_URL,
  ...users,
})
process.stdout.write(`${applied.length} migrations applied; the users are in ${path}\n`)
