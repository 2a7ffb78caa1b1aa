import { randomUUID } from 'node:crypto'
import type { Database } from '@despatch/store/database'
import type { Settings } from '../command-line.ts'
import type { Ground } from '../ground.ts'

/** One pipeline that takes print jobs from accepted to PENDING. */
export type Side = {
  name: string
  /** Accepts this many jobs at once and enqueues them. Returns when they were accepted. */
  accept(jobs: number): Promise<Date>
  /** Returns how many of them are PENDING, and when the last became PENDING. */
  progress(): Promise<Progress>
}

export type Progress = { pending: number; lastAt: Date | null }

const names = ['bullmq', 'pg-boss', 'graphile-worker'] as const
export type Rival = { name: (typeof names)[number]; side: Side }

/** Starts the two-hop workers that the pipeline is compared with, each in a separate process with its own table. */
export async function startRivals(
  ground: Ground,
  settings: Settings,
  database: Database,
): Promise<Rival[]> {
  await database.pool.query('create schema bench')
  const rivals: Rival[] = []
  for (const name of names) {
    rivals.push({ name, side: await startRival(ground, settings, database, name) })
  }
  return rivals
}

async function startRival(
  { start, environment, signal }: Ground,
  { concurrency }: Settings,
  { pool }: Database,
  name: Rival['name'],
): Promise<Side> {
  const table = `bench.${name.replace('-', '_')}`
  await pool.query(`create table ${table} (
    id uuid primary key, status text not null default 'QUARANTINE', updated_at timestamptz)`)
  const program = await start(`test/load/pipeline/${name}-main.ts`, {
    environment: { ...environment, CONCURRENCY: String(concurrency) },
  })
  return {
    name,
    accept: async (jobs) => {
      const ids = Array.from({ length: jobs }, () => randomUUID())
      await pool.query(`truncate ${table}`)
      await pool.query(`insert into ${table} (id) select unnest($1::uuid[])`, [ids])
      const acceptedAt = await readClock(pool)
      await program.ask({ ids }, signal)
      return acceptedAt
    },
    progress: async () => {
      const { rows } = await pool.query<Progress>(
        `select count(*) as pending, max(updated_at) as "lastAt" from ${table} where status = 'PENDING'`,
      )
      return rows[0]!
    },
  }
}

/** Returns the database's time, since it is compared with timestamps of the database. */
export async function readClock(pool: Database['pool']): Promise<Date> {
  const { rows } = await pool.query<{ now: Date }>('select clock_timestamp() as now')
  return rows[0]!.now
}
