import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { findFreePort } from '@despatch/embedded/free-port'
import { profileFlags, type Settings } from '../command-line.ts'
import type { BenchConsumer } from '../consumer.ts'
import type { Ground } from '../ground.ts'
import type { Target } from '../load-in-turn.ts'
import { answersTcp, type Program } from '../program.ts'
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
  { start, environment }: Ground,
  settings: Settings,
  { apiKey, token }: BenchConsumer,
): Promise<FindSides> {
  const port = await findFreePort()
  await start('services/driver-find/src/main.ts', {
    environment: { ...environment, PORT: String(port) },
    isReady: () => answersTcp(port),
    nodeFlags: profileFlags(settings),
  })
  const headers = { authorization: token, 'x-api-key': apiKey, 'content-type': 'application/json' }
  return {
    ours: { origin: `http://127.0.0.1:${port}`, path: '/driver-find/v1/drivers/find', headers },
    load: await start('test/load/intake/load-main.ts', {}),
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
