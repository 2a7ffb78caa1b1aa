import { readdir, readFile } from 'node:fs/promises'
import type pg from 'pg'
import type { Figure } from './comparison.ts'

/** What some work took. Figures of processes are NaN on a system without /proc. */
export type Cost = {
  /** Milliseconds of processor time of each process with its descendants, by its name. */
  cpuMs: Readonly<Record<string, number>>
  walBytes: number
}

/** Reads what the processes and the database have used since they started. */
export type CostReader = () => Promise<Cost>

/** Process ids by name. */
export type Processes = Readonly<Record<string, number>>

type Process = { pid: number; parent: number; ownMs: number; endedChildrenMs: number }

/** Linux reports processor time to programs in hundredths of a second. */
const tickMs = 10

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
