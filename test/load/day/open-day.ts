import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { saveUsagePlan } from '@despatch/store/access/usage-plan-limits'
import type { Database } from '@despatch/store/database'
import { startReceivers } from '../callbacks/receivers.ts'
import { profileFlags, type Settings } from '../command-line.ts'
import { benchPassword, makeConsumer } from '../consumer.ts'
import { readPostgresPid } from '../cost.ts'
import { makePdfOfPhotos, makeSmallPdf } from '../documents/letters.ts'
import type { Ground } from '../ground.ts'
import type { Program } from '../program.ts'
import { makeProvider, providerUserName } from '../runs/provider.ts'
import type { PrintPlan, SendPlan } from './day.ts'

const senders = 6
const connectionsPerSender = 4
/** Two requests are a letter: seven letters per second of each sender, 151,200 per hour of all. */
const plan = {
  name: 'standard',
  limits: [
    { service: 'print-request', requestsPerSecond: 14, burst: 28, requestsPerDay: null },
    { service: 'print-fulfilment', requestsPerSecond: 1_000, burst: 0, requestsPerDay: null },
  ],
}
const smallPages = 2
/** A run is printed each minute of a long day, and each five seconds of a short one. */
const longDayLetters = 10_000
const runAgeMs = { long: 60_000, short: 5_000 }

export type Day = Awaited<ReturnType<typeof openDay>>

/** Starts the services, each as a process of its own with its default settings, and the users of a day. */
export async function openDay(ground: Ground, settings: Settings, database: Database) {
  const { db, pool } = database
  const { environment, directory } = ground
  const receivers = await startReceivers(ground)
  const serve = (service: string, own: Record<string, string> = {}) =>
    ground.serve(`services/${service}/src/main.ts`, {
      environment: { DESPATCH_CALLBACK_ALLOW: '127.0.0.0/8', ...own },
      nodeFlags: profileFlags(settings),
    })
  const access = await serve('thirdparty-access')
  const intake = await serve('print-request')
  const age = settings.letters >= longDayLetters ? runAgeMs.long : runAgeMs.short
  const pipeline = await serve('pipeline', { DESPATCH_PRINT_RUN_AGE_MS: String(age) })
  const callbacks = await serve('callbacks')
  const fulfilment = await serve('fulfilment')

  const users: SendPlan['senders'][number][] = []
  for (let number = 0; number < senders; number++) {
    const userName = `sender-${number + 1}`
    const { apiKey } = await makeConsumer(db, ground, userName)
    const callbackTarget = `${receivers.origins[number]}/callbacks`
    users.push({ userName, password: benchPassword, apiKey, callbackTarget })
  }
  const provider = await makeProvider(db, environment.DESPATCH_KEY_SIGNING!)
  await saveUsagePlan(db, plan)

  const small = await makeSmallPdf(smallPages)
  const large = await makePdfOfPhotos()
  const smallPath = join(directory, 'small.pdf')
  const largePath = join(directory, 'large.pdf')
  await writeFile(smallPath, small)
  await writeFile(largePath, large)
  const { letters } = settings
  const accessOrigin = access.origin
  return {
    receivers,
    bytes: { small: small.length, large: large.length },
    programs: {
      authentication: access.program,
      intake: intake.program,
      pipeline: pipeline.program,
      callbacks: callbacks.program,
      fulfilment: fulfilment.program,
      'object store': ground.objectStore,
      ...(ground.redis && { Redis: ground.redis }),
    },
    postgresPid: await readPostgresPid(pool),
    sender: await ground.start('test/load/day/sender-main.ts'),
    provider: await ground.start('test/load/day/provider-main.ts'),
    sendPlan: {
      accessOrigin,
      intakeOrigin: intake.origin,
      senders: users,
      letters,
      connectionsPerSender,
      smallPath,
      largePath,
    } satisfies SendPlan,
    printPlan: {
      accessOrigin,
      fulfilmentOrigin: fulfilment.origin,
      letters,
      provider: {
        userName: providerUserName,
        password: benchPassword,
        apiKey: provider['x-api-key'],
      },
    } satisfies PrintPlan,
  } satisfies {
    sender: Program
    provider: Program
    [part: string]: unknown
  }
}
