import { findFreePort } from '@despatch/embedded/free-port'
import { openDatabase } from '@despatch/store/database'
import type { Settings } from '../command-line.ts'
import type { Comparison } from '../comparison.ts'
import type { Ground } from '../ground.ts'
import { answersTcp } from '../program.ts'
import { insertSigningConsumer } from './add-messages.ts'
import type { Bench } from './bench-parts.ts'
import { measureBacklog } from './measure-backlog.ts'
import { measureIsolation } from './measure-isolation.ts'
import { startReceivers } from './receivers.ts'

const connectionsMax = 6
/** A backlog is written in one transaction. */
const statementTimeoutMs = 600_000

/**
 * Compares the delivery of a backlog with a bare loop of the HTTP client. Also compares the lateness of a steady load
 * with and without origins that never answer.
 */
export async function measureCallbacks(ground: Ground, settings: Settings): Promise<Comparison[]> {
  const secretKeyHex = ground.environment.DESPATCH_SECRET_KEY!
  const database = openDatabase(ground.databaseUrl, {
    name: 'bench',
    connectionsMax,
    statementTimeoutMs,
  })
  try {
    const bench: Bench = {
      ground,
      settings,
      database,
      receivers: await startReceivers(ground),
      consumer: await insertSigningConsumer(database, secretKeyHex),
      secretKeyHex,
    }
    await startPipeline(ground)
    const isolation = await measureIsolation(bench)
    return [await measureBacklog(bench), isolation]
  } finally {
    await database.close()
  }
}

/** Starts the pipeline, which relays wake-ups from the outbox to the queue. */
async function startPipeline({ start, environment }: Ground): Promise<void> {
  const port = await findFreePort()
  await start('services/pipeline/src/main.ts', {
    environment: { ...environment, PORT: String(port) },
    isReady: () => answersTcp(port),
  })
}
