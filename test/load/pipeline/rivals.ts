import { randomUUID } from 'node:crypto'
import { prepareQueues } from '@despatch/queue/prepare-queues'
import type { Database } from '@despatch/store/database'
import type { Settings } from '../command-line.ts'
import type { Ground } from '../ground.ts'
import type { Program } from '../program.ts'
import type { Work } from './two-hop-worker.ts'

/** One pipeline that takes print jobs from accepted to PENDING. */
export type Side = {
  name: string
  program: Program
  /** What the program is, in the figures. */
  processName: string
  /** Accepts this many jobs at once. Returns when they were accepted. */
  accept(jobs: number): Promise<Date>
  /** Enqueues the accepted jobs. Absent: accepting them does. */
  enqueue?(): Promise<void>
  /** Returns how many of them are PENDING, and when the last became PENDING. */
  progress(): Promise<Progress>
  /** Returns whether nothing is left to do for PENDING jobs. Absent: nothing ever is. */
  isAtRest?(): Promise<boolean>
}

export type Progress = { pending: number; lastAt: Date | null }

const names = ['bullmq', 'bullmq-redis', 'pg-boss', 'graphile-worker'] as const

export type Rival = {
  /** What our pipeline is compared with. */
  description: string
  side: Side
  /** The required ratio of our jobs per second to theirs. */
  ratioMin: number
}

const bareRatioMin = { bullmq: 5, 'bullmq-redis': 1.5, 'pg-boss': 4, 'graphile-worker': 4 }
const composingRatioMin = 3

/**
 * Starts the two-hop workers that the pipeline is compared with, each in a separate process with its own table. Each is
 * two rivals: one only updates the table, the other also composes each letter and stores its document. Redis may be
 * absent.
 */
export async function startRivals(
  ground: Ground,
  settings: Settings,
  database: Database,
): Promise<Rival[]> {
  await database.pool.query('create schema bench')
  await prepareQueues(ground.databaseUrl)
  const rivals: Rival[] = []
  for (const name of names) {
    if (name === 'bullmq-redis' && !ground.redis) continue
    const open = await startWorker(ground, settings, database, name)
    const description = `two hops on ${name}`
    rivals.push(
      { description, side: open({ composes: false }), ratioMin: bareRatioMin[name] },
      {
        description: `${description}, composing and storing`,
        side: open({ composes: true }),
        ratioMin: composingRatioMin,
      },
    )
  }
  return rivals
}

async function startWorker(
  { start, environment, databaseUrl, redis, signal }: Ground,
  { concurrency }: Settings,
  { pool }: Database,
  name: (typeof names)[number],
): Promise<(work: Pick<Work, 'composes'>) => Side> {
  const table = `bench.${name.replace('-', '_')}`
  await pool.query(`create table ${table} (
    id uuid primary key, status text not null default 'QUARANTINE', updated_at timestamptz)`)
  const script = name === 'graphile-worker' ? name : 'two-hop'
  const program = await start(`test/load/pipeline/${script}-main.ts`, {
    environment: {
      ...environment,
      CARRIER: name,
      QUEUE_URL: name === 'bullmq-redis' ? redis!.url : databaseUrl,
      CONCURRENCY: String(concurrency),
      TABLE: table,
    },
  })
  let ids: string[] = []
  return ({ composes }) => ({
    name: composes ? `${name}, composing and storing` : name,
    program,
    processName: 'worker',
    accept: async (jobs) => {
      ids = Array.from({ length: jobs }, () => randomUUID())
      await pool.query(`truncate ${table}`)
      await pool.query(`insert into ${table} (id) select unnest($1::uuid[])`, [ids])
      return readClock(pool)
    },
    enqueue: async () => {
      await program.ask({ ids, composes } satisfies Work, signal)
    },
    progress: async () => {
      const { rows } = await pool.query<Progress>(
        `select count(*) as pending, max(updated_at) as "lastAt" from ${table} where status = 'PENDING'`,
      )
      return rows[0]!
    },
  })
}

/** Returns the database's time, since it is compared with timestamps of the database. */
export async function readClock(pool: Database['pool']): Promise<Date> {
  const { rows } = await pool.query<{ now: Date }>('select clock_timestamp() as now')
  return rows[0]!.now
}
