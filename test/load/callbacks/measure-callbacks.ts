import type { Settings } from '../command-line.ts'
import type { Comparison } from '../comparison.ts'
import { type Ground, withDatabase } from '../ground.ts'
import { insertSigningConsumer } from './add-messages.ts'
import type { Bench } from './bench-parts.ts'
import { measureBacklog } from './measure-backlog.ts'
import { measureIsolation } from './measure-isolation.ts'
import { startReceivers } from './receivers.ts'

/** A backlog is written in one transaction. */
const options = { connectionsMax: 6, statementTimeoutMs: 600_000 }

/**
 * Compares the delivery of a backlog with a bare loop of the HTTP client, and with queues that have a task for each
 * callback. Also compares the lateness of a steady load with and without origins that never answer.
 */
export function measureCallbacks(ground: Ground, settings: Settings): Promise<Comparison[]> {
  const secretKeyHex = ground.environment.DESPATCH_KEY_CALLBACKS!
  return withDatabase(ground, options, async (database) => {
    const bench: Bench = {
      ground,
      settings,
      database,
      receivers: await startReceivers(ground),
      consumer: await insertSigningConsumer(database, secretKeyHex),
      secretKeyHex,
    }
    const isolation = await measureIsolation(bench)
    return [...(await measureBacklog(bench)), isolation]
  })
}
