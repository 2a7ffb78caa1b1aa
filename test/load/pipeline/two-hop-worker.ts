import { startComposers } from '@despatch/composer/composers'
import { documentKey } from '@despatch/object-store/keys'
import pg from 'pg'
import { answerParent, endWithParent } from '../child.ts'
import { letterOf, plainLetter } from '../documents/letters.ts'
import { openObjects } from '../open-objects.ts'

/** The settings of a two-hop worker, from the bench that starts it. */
export type TwoHopSettings = {
  databaseUrl: string
  queueUrl: string
  concurrency: number
  table: string
}

/** Jobs to do. `composes`: the second hop also composes a letter and stores its document. */
export type Work = { ids: string[]; composes: boolean }

export function readSettings({ DATABASE_URL, QUEUE_URL, CONCURRENCY, TABLE }: NodeJS.ProcessEnv) {
  return {
    databaseUrl: DATABASE_URL!,
    queueUrl: QUEUE_URL!,
    concurrency: Number(CONCURRENCY),
    table: TABLE!,
  } satisfies TwoHopSettings
}

/** The same pool size and threads as the pipeline's. */
const connectionsMax = 8
const threadsMax = 2

let composes = false

/** Opens the table of the jobs. A hop is one UPDATE of it. */
export function openTable({ databaseUrl, table }: TwoHopSettings) {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: connectionsMax })
  const storeDocument = openDocuments()
  return {
    pool,
    move: async (id: string, status: 'VALIDATING' | 'PENDING') => {
      if (composes && status === 'PENDING') await storeDocument()
      await pool.query({
        name: 'move',
        text: `update ${table} set status = $2, updated_at = clock_timestamp() where id = $1`,
        values: [id, status],
      })
    },
  }
}

/** Composes a different letter at each call, and stores its document as the pipeline does. */
function openDocuments(): () => Promise<void> {
  const objects = openObjects(process.env)
  const { makeDocument } = startComposers({ threadsMax })
  let number = 0
  return async () => {
    const { document } = await makeDocument(letterOf(plainLetter, ++number))
    await objects.put(documentKey(document!.sha256), document!.pdf, 'application/pdf')
  }
}

/** Reports that it is ready, enqueues the jobs of each message, and closes when its parent disconnects or stops it. */
export async function serve({
  enqueue,
  close,
}: {
  enqueue(ids: readonly string[]): Promise<unknown>
  close(): Promise<unknown>
}): Promise<never> {
  answerParent(async (work: Work) => {
    composes = work.composes
    await enqueue(work.ids)
    return 'enqueued'
  })
  return endWithParent(close)
}
