import { once } from 'node:events'
import pg from 'pg'
import { answerParent } from '../child.ts'

/** The settings of a two-hop worker, from the bench that starts it. */
export type TwoHopSettings = { databaseUrl: string; queueUrl: string; concurrency: number }

export function readSettings({ DATABASE_URL, QUEUE_URL, CONCURRENCY }: NodeJS.ProcessEnv) {
  return {
    databaseUrl: DATABASE_URL!,
    queueUrl: QUEUE_URL!,
    concurrency: Number(CONCURRENCY),
  } satisfies TwoHopSettings
}

/** The same pool size as the pipeline's. */
const connectionsMax = 8

/** Opens the table of the jobs. A hop is one UPDATE of it. */
export function openTable({ databaseUrl }: TwoHopSettings, table: string) {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: connectionsMax })
  return {
    pool,
    move: (id: string, status: 'VALIDATING' | 'PENDING') =>
      pool.query({
        name: 'move',
        text: `update bench.${table} set status = $2, updated_at = clock_timestamp() where id = $1`,
        values: [id, status],
      }),
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
  answerParent(async ({ ids }: { ids: string[] }) => {
    await enqueue(ids)
    return 'enqueued'
  })
  await Promise.race(['SIGTERM', 'SIGINT', 'disconnect'].map((signal) => once(process, signal)))
  await close()
  process.exit(0)
}
