import type { AttemptOutcome } from '@despatch/domain/callback/attempt-outcome'
import { recordCalls } from '@despatch/domain/callback/breaker'
import type { CallTally, OriginHealth } from '@despatch/domain/callback/origin-health'
import { transact } from '@despatch/postgres/transact'
import { repeat } from '@despatch/queue/repeat'
import type { Db, Tx } from '@despatch/store/database'
import { sql } from 'kysely'

export type OriginCalls = {
  note(call: OriginCall): void
  /** Writes the remaining calls. */
  close(): Promise<void>
}

type OriginCallsOptions = {
  record: (calls: readonly OriginCall[]) => Promise<void>
  everyMs: number
  onError: (error: Error) => void
}

/** The health of an origin depends on its latest calls. Above this number the oldest are dropped. */
const callsKeptMax = 50_000
const callsPerRecordMax = 5_000
/** Calls start passes, so nothing else need wake the process. */
const idleMs = 60_000

/** Collects calls and writes them together, because calls of one moment share a few origins. */
export function recordOriginCallsTogether(options: OriginCallsOptions): OriginCalls {
  const { record, everyMs, onError } = options
  let noted: OriginCall[] = []
  let timer: NodeJS.Timeout | undefined

  function recordSoon(): void {
    timer ??= setTimeout(() => {
      timer = undefined
      recording.nudge()
    }, everyMs)
  }

  async function pass(): Promise<'again' | 'idle'> {
    if (noted.length === 0) return 'idle'
    const calls = noted.splice(0, callsPerRecordMax)
    try {
      await record(calls)
    } catch (error) {
      noted = [...calls, ...noted].slice(-callsKeptMax)
      recordSoon()
      throw error
    }
    // Calls that ended meanwhile wait for the next interval: constant locks on the origins would hold up the takes.
    return noted.length >= callsPerRecordMax ? 'again' : 'idle'
  }

  const recording = repeat({ name: 'origin-calls', everyMs: idleMs, pass, onError })
  return {
    note: (call) => {
      noted.push(call)
      recordSoon()
    },
    close: async () => {
      await recording.close()
      await pass().catch(onError)
      clearTimeout(timer)
    },
  }
}

/** A call that has ended. `at` is the time of its end, by the process's clock. */
export type OriginCall = { origin: string; at: Date; outcome: AttemptOutcome; isFailure: boolean }

/** Counts calls that have ended, so that every process knows the health of their origins. */
export async function recordOriginCalls(db: Db, calls: readonly OriginCall[]): Promise<void> {
  if (calls.length === 0) return
  const byOrigin = Map.groupBy(calls, ({ origin }) => origin)
  await transact(db, async (tx) => {
    const known = await lockOrigins(tx, [...byOrigin.keys()])
    const rows = known.map(({ now, ...origin }) => toRow(origin, byOrigin.get(origin.origin)!, now))
    await sql`
      update callback_origin known set
        breaker = row.breaker,
        breaker_until = row.breaker_until,
        failures_in_row = row.failures_in_row,
        minutes = row.minutes,
        last_success_at = greatest(known.last_success_at, row.last_success_at),
        last_failure_at = greatest(known.last_failure_at, row.last_failure_at),
        last_outcome = coalesce(row.last_outcome, known.last_outcome)
      from json_to_recordset(${JSON.stringify(rows)}::json) as row (
        origin text, breaker text, breaker_until timestamptz, failures_in_row integer, minutes jsonb,
        last_success_at timestamptz, last_failure_at timestamptz, last_outcome text)
      where known.origin = row.origin`.execute(tx)
  })
}

type LockedOrigin = OriginHealth & { origin: string; now: Date }

/** Locks origins in one order for all callers. Inserts those that are not known yet. */
async function lockOrigins(tx: Tx, origins: readonly string[]): Promise<LockedOrigin[]> {
  const { rows } = await sql<Omit<LockedOrigin, 'minutes'> & { minutes: CallTally[] }>`
    insert into callback_origin as known (origin)
    select origin from unnest(${[...origins]}::text[]) as row (origin) order by origin
    on conflict (origin) do update set origin = known.origin
    returning origin, breaker, breaker_until as "breakerUntil", failures_in_row as "failuresInRow", minutes,
      now() as now`.execute(tx)
  return rows
}

function toRow(
  { origin, ...known }: Omit<LockedOrigin, 'now'>,
  calls: readonly OriginCall[],
  now: Date,
) {
  const health = recordCalls(known, calls, now)
  const successes = calls.filter(({ isFailure }) => !isFailure)
  const failures = calls.filter(({ isFailure }) => isFailure)
  return {
    origin,
    breaker: health.breaker,
    breaker_until: health.breakerUntil,
    failures_in_row: health.failuresInRow,
    minutes: health.minutes,
    last_success_at: latest(successes),
    last_failure_at: latest(failures),
    last_outcome: failures.at(-1)?.outcome,
  }
}

function latest(calls: readonly OriginCall[]): Date | undefined {
  return calls.length > 0 ? new Date(Math.max(...calls.map(({ at }) => at.getTime()))) : undefined
}

/** Counts the breakers that are not closed. */
export async function countOpenBreakers(db: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from callback_origin where breaker <> 'closed'`.execute(db)
  return rows[0]!.count
}
