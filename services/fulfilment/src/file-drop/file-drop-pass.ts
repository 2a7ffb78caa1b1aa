import type { Database, Db } from '@despatch/store/database'
import type { Logger } from '@despatch/telemetry/logger'
import { sql } from 'kysely'
import type { FileDropClient } from './file-drop-client.ts'
import { layOutRecalls, layOutReprints } from './lay-out-changes.ts'
import { layOutRuns } from './lay-out-runs.ts'
import { type FileDropObjects, takeFilesIn } from './take-files-in.ts'

export type FileDropContext = {
  database: Pick<Database, 'db' | 'pool'>
  objects: FileDropObjects
  client: FileDropClient
  log: Logger
  /** Aborts when the process shuts down. Another process then repeats the unfinished exchange. */
  signal: AbortSignal
}

/**
 * Exchanges files with every provider that uses the file-drop: first takes the provider's files, then writes files for
 * the provider. A lock lets one process at a time serve a provider. A failure with one provider does not delay the
 * others. Returns 'again' if more files are waiting.
 */
export async function passFileDrop(context: FileDropContext): Promise<'again' | 'idle'> {
  const { database, log, signal } = context
  let result: 'again' | 'idle' = 'idle'
  for (const { providerId, consumerId } of await listFileDropProviders(database.db)) {
    if (consumerId === null) {
      log.warn({ providerId }, 'file-drop.no-consumer')
      continue
    }
    try {
      const passed = await withFileDropLock(database.pool, providerId, () =>
        exchange(context, { providerId, consumerId }),
      )
      if (passed === 'again') result = 'again'
    } catch (error) {
      if (signal.aborted) return 'idle'
      log.error({ providerId, err: error }, 'file-drop.failed')
    }
  }
  return result
}

async function exchange(
  { database: { db }, objects, client, log, signal }: FileDropContext,
  caller: { providerId: string; consumerId: string },
): Promise<'again' | 'idle'> {
  const taken = await takeFilesIn({ objects, client, log, signal }, caller)
  await layOutRuns({ db, objects, client, signal }, caller)
  await layOutReprints({ db, objects, client }, caller)
  await layOutRecalls({ db, objects, client }, caller)
  return taken
}

/** A file-drop provider, and the consumer that it acts as. Null: it has no such consumer and cannot act. */
type FileDropProvider = { providerId: string; consumerId: string | null }

/** Lists the file-drop providers. Each acts as its oldest enabled consumer with the provider role. */
async function listFileDropProviders(db: Db): Promise<FileDropProvider[]> {
  const { rows } = await sql<FileDropProvider>`
    select provider.id as "providerId", (
        select consumer.id from consumer
        where consumer.provider_id = provider.id and 'provider' = any (consumer.roles)
          and consumer.disabled_at is null
        order by consumer.created_at, consumer.id limit 1
      ) as "consumerId"
    from provider where provider.exchange = 'file-drop'
    order by provider.id`.execute(db)
  return rows
}

/**
 * Does the work under the provider's file-drop lock. Returns undefined if another process has the lock. The lock
 * belongs to the database session, so a process that dies loses it.
 */
export async function withFileDropLock<Result>(
  pool: Database['pool'],
  providerId: string,
  work: () => Promise<Result>,
): Promise<Result | undefined> {
  const lock = [`file_drop:${providerId}`]
  const client = await pool.connect()
  let isLocked = false
  try {
    const { rows } = await client.query<{ locked: boolean }>(
      'select pg_try_advisory_lock(hashtextextended($1, 0)) as locked',
      lock,
    )
    isLocked = rows[0]?.locked ?? false
    return isLocked ? await work() : undefined
  } finally {
    const unlocked =
      !isLocked ||
      (await client.query('select pg_advisory_unlock(hashtextextended($1, 0))', lock).then(
        () => true,
        () => false,
      ))
    client.release(!unlocked)
  }
}
