import { availableParallelism, cpus, loadavg } from 'node:os'
import pg from 'pg'

/** The machine on which the figures were measured. */
export type Machine = {
  cores: number
  processor: string
  node: string
  postgres: string
  /** The load average of the minute before. */
  loadBefore: number
}

export async function describeMachine(databaseUrl: string): Promise<Machine> {
  return {
    cores: availableParallelism(),
    processor: cpus()[0]?.model ?? 'unknown processor',
    node: process.version,
    postgres: await readServerVersion(databaseUrl),
    loadBefore: loadavg()[0] ?? 0,
  }
}

async function readServerVersion(databaseUrl: string): Promise<string> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const { rows } = await client.query<{ server_version: string }>('show server_version')
    return rows[0]?.server_version ?? 'unknown'
  } finally {
    await client.end()
  }
}
