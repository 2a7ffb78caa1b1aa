import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import { describeSession, type Session } from './sessions.ts'

/** Spells DESP: one migration at a time, whichever process starts first. */
const advisoryLock = 0x44455350
const pollMs = 200
const waitMs = 3_600_000

/**
 * Waits until no other process migrates this database. It polls: if this session waited for the lock itself, an index
 * that the other process builds concurrently would wait for this session, and neither would continue. Throws after an
 * hour, naming the session that migrates.
 */
export async function lockMigrations(
  client: pg.Client,
  log: (line: string) => void,
): Promise<void> {
  const deadline = performance.now() + waitMs
  for (let isFirst = true; ; isFirst = false) {
    const { rows } = await client.query('select pg_try_advisory_lock($1) as taken', [advisoryLock])
    if (rows[0].taken) return
    if (isFirst) log('Another process is migrating this database. Waiting for it')
    if (performance.now() > deadline) throw new Error(`Waited an hour for ${await holder(client)}`)
    await pause(pollMs)
  }
}

async function holder(client: pg.Client): Promise<string> {
  const { rows } = await client.query<Session>(
    `select activity.pid, application_name, state, extract(epoch from now() - xact_start)::integer as seconds
     from pg_locks join pg_stat_activity activity using (pid)
     where locktype = 'advisory' and classid = 0 and objid = $1 and granted`,
    [advisoryLock],
  )
  return rows.map(describeSession).join(' and ') || 'another migration'
}
