import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import type { Figure } from './comparison.ts'

/** What some work took. Figures of processes are NaN on a system without /proc. */
export type Cost = {
  /** Milliseconds of processor time of each process with its descendants, by its name. */
  cpuMs: Readonly<Record<string, number>>
  walBytes: number
}

/** Rows that were inserted and updated in all tables. */
export type RowVersions = { inserts: number; updates: number; hotUpdates: number }

/** Reads what the processes and the database have used since they started. */
export type CostReader = () => Promise<Cost>

/** Process ids by name. */
export type Processes = Readonly<Record<string, number>>

type Process = { pid: number; parent: number; ownMs: number; endedChildrenMs: number }

/** Linux reports processor time to programs in hundredths of a second. */
const tickMs = 10
/** A connection of PostgreSQL that has become idle reports its counts after at most ten seconds. */
const statisticsDelayMs = 11_000

/** Reads costs of the processes and of PostgreSQL. The bench's own connections, which watch the work, do not count. */
export async function openCosts(pool: pg.Pool, processes: Processes): Promise<CostReader> {
  const watched = { ...processes, PostgreSQL: await readPostgresPid(pool) }
  return async () => {
    const { rows } = await pool.query<{ walBytes: number; own: number[] }>(
      `select (pg_current_wal_lsn() - '0/0')::double precision as "walBytes",
         array(select pid from pg_stat_activity where application_name = 'bench') as own`,
    )
    const { walBytes, own } = rows[0]!
    const cpuMs = cpuOf(await readProcesses(), watched, new Set(own))
    return { cpuMs, walBytes }
  }
}

/** Returns the process id of the server, whose children are its connections. */
export async function readPostgresPid(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ pid: number }>(
    `select split_part(pg_read_file('postmaster.pid'), chr(10), 1)::integer as pid`,
  )
  return rows[0]!.pid
}

async function readProcesses(): Promise<Process[]> {
  const names = await readdir('/proc').catch(() => [])
  const stats = names
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ''))
  return (await Promise.all(stats)).flatMap((stat) => (stat ? [parseStat(stat)] : []))
}

/** The name of the program, in parentheses, may contain anything. */
function parseStat(stat: string): Process {
  const [, pid, rest] = /^(\d+) .*\) (.*)$/s.exec(stat)!
  const [, parent, ...fields] = rest!.split(' ').map(Number)
  const [user, system, endedUser, endedSystem] = fields.slice(9)
  return {
    pid: Number(pid),
    parent: parent!,
    ownMs: (user! + system!) * tickMs,
    endedChildrenMs: (endedUser! + endedSystem!) * tickMs,
  }
}

function cpuOf(
  all: readonly Process[],
  watched: Processes,
  ignored: ReadonlySet<number>,
): Record<string, number> {
  const sumOf = (pid: number): number => {
    const process = all.find((other) => other.pid === pid)
    if (!process) return Number.NaN
    return all
      .filter(({ pid: child, parent }) => parent === pid && !ignored.has(child))
      .reduce((sum, child) => sum + sumOf(child.pid), process.ownMs + process.endedChildrenMs)
  }
  return Object.fromEntries(Object.entries(watched).map(([name, pid]) => [name, sumOf(pid)]))
}

/** Returns what was used between two readings, for each of this many letters. */
export function costBetween(before: Cost, after: Cost, letters: number): Cost {
  const cpuMs = Object.entries(after.cpuMs).map(([name, ms]) => {
    const used = ms - before.cpuMs[name]!
    return [name, used / letters]
  })
  return {
    cpuMs: Object.fromEntries(cpuMs),
    walBytes: (after.walBytes - before.walBytes) / letters,
  }
}

export function cpuSum({ cpuMs }: Cost): number {
  return Object.values(cpuMs).reduce((sum, ms) => sum + ms, 0)
}

/** Returns a row for each process, and one for all. Each cost is of one round, for each letter. */
export function cpuFigures(
  when: string,
  costs: readonly Cost[],
  target?: Figure['target'],
): Figure[] {
  return [
    ...Object.keys(costs[0]!.cpuMs).map((process) => ({
      name: `CPU ms per letter ${when}, ${process}`,
      ours: costs.map(({ cpuMs }) => cpuMs[process]!),
    })),
    {
      name: `CPU ms per letter ${when}, all`,
      ours: costs.map(cpuSum),
      ...(target && { target }),
    },
  ]
}

/** Waits until all connections have become idle and have reported their row versions. */
export async function rowVersionsReported(signal: AbortSignal): Promise<void> {
  await pause(statisticsDelayMs, undefined, { signal })
}

/** Returns the row versions that were written and reported, by table. */
export async function readRowVersions(pool: pg.Pool): Promise<Map<string, RowVersions>> {
  const { rows } = await pool.query<RowVersions & { name: string }>(
    `select schemaname || '.' || relname as name, n_tup_ins as inserts, n_tup_upd as updates, n_tup_hot_upd as "hotUpdates"
     from pg_stat_user_tables`,
  )
  return new Map(rows.map(({ name, ...versions }) => [name, versions]))
}

/** Returns what was written between two readings, by table, without tables in which nothing was. */
export function versionsBetween(
  before: ReadonlyMap<string, RowVersions>,
  after: ReadonlyMap<string, RowVersions>,
): Map<string, RowVersions> {
  const written = [...after].map(([name, { inserts, updates, hotUpdates }]) => {
    const old = before.get(name) ?? { inserts: 0, updates: 0, hotUpdates: 0 }
    const versions = {
      inserts: inserts - old.inserts,
      updates: updates - old.updates,
      hotUpdates: hotUpdates - old.hotUpdates,
    }
    return [name, versions] as const
  })
  return new Map(written.filter(([, { inserts, updates }]) => inserts + updates > 0))
}

/** Returns the row versions for each letter, the share of updates that are HOT, and a note with the tables. */
export function describeVersions(
  when: string,
  tables: ReadonlyMap<string, RowVersions>,
  letters: number,
  targets: { versionsMax?: number; hotMin?: number } = {},
): { figures: Figure[]; note: string } {
  const sum = (count: (versions: RowVersions) => number) =>
    [...tables.values()].reduce((all, versions) => all + count(versions), 0)
  const versionsOf = ({ inserts, updates }: RowVersions) => inserts + updates
  const { versionsMax, hotMin } = targets
  const updates = sum((versions) => versions.updates)
  const hotShare = sum((versions) => versions.hotUpdates) / updates
  const parts = [...tables]
    .filter(([, versions]) => versionsOf(versions) >= letters / 100)
    .map(([name, { inserts, updates, hotUpdates }]) => {
      const [inserted, updated, hot] = [inserts, updates, hotUpdates].map((count) =>
        (count / letters).toFixed(2),
      )
      return `${name} ${inserted} + ${updated} (${hot})`
    })
  return {
    figures: [
      {
        name: `row versions per letter, ${when}`,
        ours: [sum(versionsOf) / letters],
        ...(versionsMax && { target: { sense: 'at most', figure: versionsMax } }),
      },
      ...(updates === 0
        ? []
        : [
            {
              name: `HOT share of updates, ${when}`,
              ours: [hotShare],
              ...(hotMin && { target: { sense: 'at least', figure: hotMin } as const }),
            },
          ]),
    ],
    note: `${when}, inserts + updates (HOT) per letter: ${parts.join(', ')}`,
  }
}
