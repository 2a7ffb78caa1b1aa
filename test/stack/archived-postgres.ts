import { execFile } from 'node:child_process'
import { chmod, chown, mkdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type EmbeddedPostgres, startPostgres } from '@despatch/embedded/postgres'
import { eventually } from '@despatch/testing/eventually'
import pg from 'pg'

const run = promisify(execFile)

/** A PostgreSQL as an operator backs it up: with an archive of its write-ahead log. */
export type ArchivedPostgres = {
  url: string
  /** Copies the server's files while it runs. */
  backUp(): Promise<void>
  /** Returns the current time of the server's clock. */
  now(): Promise<string>
  /** Resolves when everything committed is in the archive. */
  archive(): Promise<void>
  stop(): Promise<void>
}

const placesOf = (directory: string) => ({
  archive: join(directory, 'archive'),
  backup: join(directory, 'backup'),
})

/** Starts an archived PostgreSQL below a directory, which also holds its archive and its backup. */
export async function startArchivedPostgres(directory: string): Promise<ArchivedPostgres> {
  const { archive, backup } = placesOf(directory)
  const home = join(directory, 'first')
  await mkdir(archive)
  // when this process is root, the server runs as another account
  await chmod(archive, 0o777)
  const server = await startPostgres({
    directory: home,
    durable: false,
    settings: [
      'wal_level=replica',
      'full_page_writes=on',
      'archive_mode=on',
      `archive_command=test ! -f ${archive}/%f && cp %p ${archive}/%f`,
    ],
  })
  const ask = async (statement: string) => {
    const client = new pg.Client({ connectionString: server.url })
    await client.connect()
    return client.query(statement).finally(() => client.end())
  }
  return {
    url: server.url,
    stop: server.stop,
    now: async () => (await ask('select clock_timestamp()::text as now')).rows[0].now,
    archive: async () => {
      const { rows } = await ask('select pg_walfile_name(pg_switch_wal()) as file')
      await eventually(() => stat(join(archive, rows[0].file)), {
        message: 'the write-ahead log is in the archive',
      })
    },
    backUp: async () => {
      const client = new pg.Client({ connectionString: server.url })
      await client.connect()
      try {
        await client.query("select pg_backup_start('drill', true)")
        await run('cp', ['-a', home, backup])
        const { rows } = await client.query('select labelfile from pg_backup_stop()')
        await writeFile(join(backup, 'data', 'backup_label'), rows[0].labelfile)
      } finally {
        await client.end()
      }
      await rm(join(backup, 'data', 'postmaster.pid'))
      await rm(join(backup, 'in-use-by'))
      await run('find', [join(backup, 'data', 'pg_wal'), '-type', 'f', '-delete'])
    },
  }
}

/** Starts a second server from the backup and the archive, with the data as of the given time. */
export async function restorePostgres(directory: string, at: string): Promise<EmbeddedPostgres> {
  const { archive, backup } = placesOf(directory)
  const home = join(directory, 'second')
  await run('cp', ['-a', backup, home])
  const data = join(home, 'data')
  const { uid, gid } = await stat(data)
  await writeFile(join(data, 'recovery.signal'), '')
  for (const name of ['recovery.signal', 'backup_label']) await chown(join(data, name), uid, gid)
  return startPostgres({
    directory: home,
    durable: false,
    settings: [
      `restore_command=cp ${archive}/%f %p`,
      `recovery_target_time=${at}`,
      'recovery_target_action=promote',
    ],
  })
}
