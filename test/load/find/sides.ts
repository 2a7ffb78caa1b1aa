import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { profileFlags, type Settings } from '../command-line.ts'
import type { BenchConsumer } from '../consumer.ts'
import type { Ground } from '../ground.ts'
import type { Target } from '../load-in-turn.ts'
import type { Program } from '../program.ts'
import { bareStatement } from './bare-statement.ts'
import type { Search } from './searches.ts'

export type FindSides = {
  ours: Target
  /** Generates the load on our service. */
  load: Program
  /** Generates the load on PostgreSQL. */
  sqlLoad: Program
}

export async function startSides(
  { start, serve, environment }: Ground,
  settings: Settings,
  { headers }: BenchConsumer,
): Promise<FindSides> {
  const nodeFlags = profileFlags(settings)
  const { origin } = await serve('services/driver-find/src/main.ts', { nodeFlags })
  return {
    ours: { origin, path: '/driver-find/v1/drivers/find', headers },
    load: await start('test/load/intake/load-main.ts'),
    sqlLoad: await start('test/load/find/sql-main.ts', {
      environment: { DATABASE_URL: environment.DATABASE_URL! },
    }),
  }
}

/** The files of one kind of search, with a request or a statement on each line. */
export type SearchFiles = {
  name: string
  requestsPath: string
  /** The statements that the service sends to PostgreSQL. */
  statementsPath: string
  scansPath: string
}

export async function writeSearch(
  { directory }: Ground,
  { name, requests, scans }: Search,
): Promise<SearchFiles> {
  const write = async (kind: string, lines: readonly object[]) => {
    const path = join(directory, `${name.replaceAll(' ', '-')}-${kind}.ndjson`)
    await writeFile(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
    return path
  }
  return {
    name,
    requestsPath: await write('requests', requests),
    statementsPath: await write('statements', await Promise.all(requests.map(bareStatement))),
    scansPath: await write('scans', scans),
  }
}
