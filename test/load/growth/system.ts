import { generateApiKey } from '@despatch/access/api-keys'
import { seedConsumer } from '@despatch/access/seed'
import { openSigningKey } from '@despatch/access/signing-key'
import { issueToken } from '@despatch/access/tokens'
import type { Db } from '@despatch/store/database'
import { countViolations } from '@despatch/store/overview/invariants'
import { correctCounts } from '@despatch/testing/kept-counts'
import { insertConsumer } from '@despatch/testing/print-job-builders'
import { insertSigningConsumer } from '../callbacks/add-messages.ts'
import type { Bench } from '../callbacks/bench-parts.ts'
import type { Receivers } from '../callbacks/receivers.ts'
import type { Settings } from '../command-line.ts'
import { benchPassword } from '../consumer.ts'
import { type Ground, onNewDatabase } from '../ground.ts'
import { startIntake } from '../intake/measure-intake.ts'
import type { Target } from '../load-in-turn.ts'
import { openStage, type Stage } from '../runs/stage.ts'
import { fillSystem } from './fill-system.ts'

/** A database with letters, and the services in front of it. */
export type System = {
  name: 'small' | 'big'
  /** The ground of this database. */
  ground: Ground
  stage: Stage
  /** For the delivery of callbacks. */
  bench: Bench
  intake: Target
  printRequest: Caller
  administration: Caller
  /** Letters of the consumer that calls print-request. */
  ownIds: readonly string[]
  letters: readonly KnownLetter[]
}

/** Where a service is called, and on behalf of whom. */
export type Caller = { origin: string; headers: Record<string, string> }

export type KnownLetter = {
  id: string
  documentId: string
  consumerId: string
}

export type Size = { name: System['name']; finished: number; live: number }

const consumers = 20
const knownLettersMax = 500
const quiet = { LOG_LEVEL: 'warn' }

/** Creates a database, fills it with letters, and starts the services on it. They end with the ground. */
export async function openSystem(
  shared: Ground,
  settings: Settings,
  { size, receivers }: { size: Size; receivers: Receivers },
): Promise<System> {
  const { name } = size
  const ground = await onNewDatabase(shared, `bench_${name}`)
  const secretKeyHex = ground.environment.DESPATCH_KEY_CALLBACKS!
  const stage = await openStage(ground, settings)
  const { database } = stage
  try {
    const consumer = await insertSigningConsumer(database, secretKeyHex)
    for (let made = 0; made < consumers; made++) await insertConsumer(database.db)
    const intake = await startIntake(ground, settings, database, quiet)
    const administration = await ground.serve('services/administration/src/main.ts', {
      environment: quiet,
    })
    const tell = (line: string) => ground.tell(`${name} system: ${line}`)
    await fillSystem(database.pool, { ...size, signal: ground.signal, tell })
    // the letters are inserted without triggers
    await correctCounts(database.db)
    const violations = await countViolations(database.db)
    if (Object.values(violations).some((count) => count > 0)) {
      throw new Error(`The letters contradict each other: ${JSON.stringify(violations)}`)
    }
    const { target, consumerId } = intake
    const letters = await listLetters(stage, `status = 'DESPATCHED'`)
    const own = await listLetters(stage, `consumer_id = '${consumerId}'`)
    return {
      name,
      ground,
      stage,
      bench: { ground, settings, database, receivers, consumer, secretKeyHex },
      intake: target,
      printRequest: target,
      administration: {
        origin: administration.origin,
        headers: await makeOperator(database.db, ground.environment.DESPATCH_KEY_SIGNING!),
      },
      ownIds: own.map(({ id }) => id),
      letters,
    }
  } catch (error) {
    await stage.close()
    throw error
  }
}

/** Returns letters from all over the table. */
async function listLetters(
  { database: { pool } }: Stage,
  condition: string,
): Promise<KnownLetter[]> {
  const { rows } = await pool.query<KnownLetter>(
    `select id, document_id as "documentId", consumer_id as "consumerId" from print_job where ${condition} order by md5(id) limit $1`,
    [knownLettersMax],
  )
  if (rows.length === 0) throw new Error(`There is no letter where ${condition}`)
  return rows
}

async function makeOperator(db: Db, secretKeyHex: string): Promise<Record<string, string>> {
  const roles = ['operator'] as const
  const apiKey = generateApiKey()
  const consumerId = await seedConsumer(db, {
    userName: 'bench-operator',
    name: 'Bench operator',
    password: benchPassword,
    apiKey,
    roles,
    contracts: [],
  })
  const signingKey = await openSigningKey({ db, secretKeyHex })
  const token = await issueToken(await signingKey(), { consumerId, roles }, new Date())
  return { authorization: token, 'x-api-key': apiKey, 'content-type': 'application/json' }
}
