import type { Database } from '@despatch/store/database'
import { listFileDropProviders, withFileDropLock } from '@despatch/store/provider/file-drop'
import type { Logger } from '@despatch/telemetry/logger'
import type { FileDropClient } from './file-drop-client.ts'
import { layOutRecalls, layOutReprints } from './lay-out-changes.ts'
import { layOutRuns } from './lay-out-runs.ts'
import { type FileDropObjects, takeFilesIn } from './take-files-in.ts'

export type FileDropContext = {
  database: Pick<Database, 'db' | 'pool'>
  objects: FileDropObjects
  client: FileDropClient
  log: Logger
  /** Aborts when the process shuts down. Another process repeats what is half done. */
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
