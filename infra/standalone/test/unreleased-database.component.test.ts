import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { openDatabase } from '@despatch/store/database'
import { scratchFolder } from '@despatch/testing/scratch-folder'
import { expect, inject, onTestFinished, test } from 'vitest'

/** Creates a database with a letter, as an unreleased version left it. Returns its address, and connections to it. */
async function anUnreleasedDatabase() {
  const { postgresUrl } = inject('infra')
  const url = new URL(postgresUrl)
  url.pathname = `/unreleased_${randomBytes(6).toString('hex')}`
  const admin = openDatabase(postgresUrl, { name: 'test', connectionsMax: 1 })
  await admin.pool.query(`create database ${url.pathname.slice(1)}`)
  const { pool, close } = openDatabase(url.href, { name: 'test', connectionsMax: 1 })
  onTestFinished(async () => {
    await close()
    await admin.pool.query(`drop database ${url.pathname.slice(1)} with (force)`)
    await admin.close()
  })
  await pool.query(`
    create table migration (name text primary key, sha256 text not null, applied_at timestamptz not null default now());
    insert into migration (name, sha256) values ('0001_consumer.sql', repeat('ab', 32));
    create table print_job (id text primary key);
    insert into print_job (id) values ('letter-1')`)
  return { url: url.href, pool }
}

test.each([
  { program: 'main.ts', what: 'start' },
  { program: 'migrate-main.ts', what: 'migrate' },
])(
  'the data of an unreleased version is left alone, and one line says what to do: $what',
  async ({ program, what }) => {
    const { url, pool } = await anUnreleasedDatabase()
    const { PATH, NODE_COMPILE_CACHE } = process.env
    const directory = await mkdtemp(join(scratchFolder(), 'despatch-'))
    onTestFinished(() => rm(directory, { recursive: true, force: true }))
    const main = resolve(import.meta.dirname, '../src', program)

    const ended = await promisify(execFile)(process.execPath, [main], {
      env: {
        PATH,
        NODE_COMPILE_CACHE,
        DATABASE_URL: url,
        DESPATCH_PORT: '0',
        DESPATCH_OPS_PORT: '0',
        DESPATCH_DATA_DIR: directory,
      },
    }).then(
      () => ({ code: 0, stderr: '' }),
      (error: { code: number; stderr: string }) => error,
    )

    expect([ended.code, ended.stderr]).toEqual([
      1,
      `Despatch cannot ${what}: This database has the data of an unreleased version of Despatch, which cannot be upgraded. Export what you need with that version, then remove the data folder (.despatch or DESPATCH_DATA_DIR) or give DATABASE_URL an empty database\n`,
    ])
    const { rows } = await pool.query(
      `select (select count(*)::integer from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r') as tables,
       (select id from print_job) as letter`,
    )
    expect(rows).toEqual([{ tables: 2, letter: 'letter-1' }])
  },
)
