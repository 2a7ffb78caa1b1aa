import { repeat } from '@despatch/queue/repeat'
import type { FulfilmentContext } from '../api.ts'
import { createFileDropClient } from './file-drop-client.ts'
import { type FileDropContext, passFileDrop } from './file-drop-pass.ts'

export type FileDrop = { close(): Promise<void> }

/** Exchanges files with providers that use the file-drop, repeatedly, until it is closed. */
export async function startFileDrop({
  everyMs,
  database,
  objects,
  ...context
}: Pick<
  FulfilmentContext,
  'log' | 'tracing' | 'composers' | 'objects' | 'leaseSeconds' | 'linkSeconds'
> &
  Pick<FileDropContext, 'database' | 'objects'> & { everyMs: number }): Promise<FileDrop> {
  const { log } = context
  const client = await createFileDropClient({ ...context, objects, db: database.db })
  const ending = new AbortController()
  const { signal } = ending
  const passes = repeat({
    name: 'file-drop',
    passMsMax: 30 * 60_000,
    everyMs,
    pass: () => passFileDrop({ database, objects, client, log, signal }),
    onError: (error) => log.error({ err: error }, 'file-drop.pass-failed'),
  })
  return {
    close: async () => {
      ending.abort()
      await passes.close()
      await client.close()
    },
  }
}
