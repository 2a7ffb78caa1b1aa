import { close, type Part } from '@despatch/http/service'
import { startPeriodicTasks } from '@despatch/work/periodic-tasks'
import type { FulfilmentContext } from '../api.ts'
import { createEndedRunWalk, type EndedRunWalkOptions } from './ended-run-walk.ts'
import { createFileDropClient } from './file-drop-client.ts'
import { type FileDropContext, passFileDrop } from './file-drop-pass.ts'

/** Exchanges files with providers that use the file-drop, repeatedly, until it is closed. */
export async function startFileDrop({
  everyMs,
  database,
  objects,
  ...context
}: Pick<FulfilmentContext, 'log' | 'tracing' | 'composers' | 'objects'> &
  Pick<FileDropContext, 'database' | 'objects'> &
  Pick<EndedRunWalkOptions, 'objects'> & { everyMs: number }): Promise<Part> {
  const { log } = context
  await using parts = new AsyncDisposableStack()
  const client = parts.adopt(
    await createFileDropClient({ ...context, objects, db: database.db }),
    close,
  )
  const removeEndedRuns = createEndedRunWalk({ db: database.db, objects })
  const ending = new AbortController()
  const { signal } = ending
  parts.adopt(
    startPeriodicTasks(
      [
        {
          name: 'file-drop',
          passMsMax: 30 * 60_000,
          everyMs,
          pass: async () => {
            const taken = await passFileDrop({ database, objects, client, log, signal })
            await removeEndedRuns()
            return taken
          },
        },
      ],
      { db: database.db, service: 'fulfilment', log },
    ),
    close,
  )
  parts.defer(() => ending.abort())
  const opened = parts.move()
  return { close: () => opened.disposeAsync() }
}
