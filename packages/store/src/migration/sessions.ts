import type pg from 'pg'

/** A session of the server, as pg_stat_activity shows it. The statement is left out because it may name people. */
export type Session = {
  pid: number
  application_name: string
  state: string | null
  /** How long its transaction has run; null if it has none. */
  seconds: number | null
}

/** Finds the sessions that hold the locks which the session with this process id waits for. */
export async function listBlockers(observer: pg.Client, pid: number): Promise<Session[]> {
  const { rows } = await observer.query<Session>(
    `select pid, application_name, state, extract(epoch from clock_timestamp() - xact_start)::integer as seconds
     from pg_stat_activity where pid = any (pg_blocking_pids($1)) order by xact_start`,
    [pid],
  )
  return rows
}

export function describeSession({ pid, application_name, state, seconds }: Session): string {
  const known = [application_name, state, seconds === null ? '' : `for ${seconds} s`]
  return `session ${pid} (${known.filter(Boolean).join(', ')})`
}
