import { spawn } from 'node:child_process'
import { hash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { type Migration, migrate, readMigrations } from '@despatch/store/migrate'
import { eventually } from '@despatch/testing/eventually'
import pg from 'pg'
import { beforeEach, describe, expect, inject, onTestFinished, test } from 'vitest'

const migrateProgram = fileURLToPath(new URL('migrate-and-report.ts', import.meta.url))

function aMigration(name: string, sql: string): Migration {
  return { name, sql, sha256: hash('sha256', sql) }
}

const table = aMigration(
  '0001_letter.sql',
  '-- Letters.\ncreate table letter (id integer primary key, town text);\ninsert into letter select n, n::text from generate_series(1, 50000) n;\n',
)
const column = aMigration(
  '0002_county.sql',
  '-- The county.\nalter table letter add column county text;\n',
)
const index = aMigration(
  '0002_town.sql',
  '-- concurrently\n-- Letters are found by town.\ncreate unique index concurrently letter_town on letter (town);\n',
)

async function anEmptyDatabase(): Promise<string> {
  const { postgresUrl } = inject('infra')
  const name = `migrate_${randomBytes(6).toString('hex')}`
  const administration = await connect(postgresUrl)
  await administration.query(`create database ${name}`)
  onTestFinished(async () => {
    await administration.query(`drop database ${name} with (force)`)
    await administration.end()
  })
  const url = new URL(postgresUrl)
  url.pathname = `/${name}`
  return url.href
}

async function connect(url: string, name = 'test'): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, application_name: name })
  client.on('error', () => {})
  await client.connect()
  return client
}

async function aSession(url: string, name?: string): Promise<pg.Client> {
  const client = await connect(url, name)
  onTestFinished(() => client.end())
  return client
}

/** Migrates a database in another process, which a test can kill. */
function migrateApart(url: string, migrations: readonly Migration[]) {
  const child = spawn(process.execPath, [migrateProgram, url], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  child.stdin.end(JSON.stringify(migrations))
  return child
}

async function findIndexes(client: pg.Client) {
  const { rows } = await client.query(
    `select indexrelid::regclass::text as name, indisvalid as valid from pg_index
     where indrelid = 'letter'::regclass and not indisprimary`,
  )
  return rows
}

describe('a table that is in use', () => {
  test('is changed once it is free, and stays usable between the attempts', async () => {
    const url = await anEmptyDatabase()
    await migrate(url, { migrations: [table] })
    const reader = await aSession(url, 'a long report')
    await reader.query('begin')
    await reader.query('select count(*) from letter')
    const lines: string[] = []

    const migrating = migrate(url, {
      migrations: [table, column],
      log: (line) => void lines.push(line),
    })
    await eventually(() => lines.length > 0, { message: 'the migration has tried once' })
    const writer = await aSession(url)
    await writer.query("set lock_timeout = '4s'")
    await writer.query("update letter set town = 'Swindon' where id = 1")
    await reader.query('commit')

    expect(await migrating).toEqual({ applied: [column.name] })
    expect(lines[0]).toMatch(
      /^Migration 0002_county.sql waits for a lock that session \d+ \(a long report, idle in transaction, for \d+ s\) holds$/,
    )
  })

  test('is left unchanged if it stays in use, and the error names the session that holds it', async () => {
    const url = await anEmptyDatabase()
    await migrate(url, { migrations: [table] })
    const reader = await aSession(url, 'a long report')
    await reader.query('begin')
    await reader.query('select count(*) from letter')

    const migrating = migrate(url, { migrations: [table, column], lockWaitMs: 1 })

    await expect(migrating).rejects.toMatchObject({
      message: 'Migration 0002_county.sql failed',
      cause: { message: expect.stringMatching(/session \d+ \(a long report, idle in transaction/) },
    })
    await reader.query('commit')
    expect((await migrate(url, { migrations: [table, column] })).applied).toEqual([column.name])
  })
})

describe('an index that is built concurrently', () => {
  let url: string
  let client: pg.Client
  beforeEach(async () => {
    url = await anEmptyDatabase()
    await migrate(url, { migrations: [table] })
    client = await aSession(url)
  })

  test('does not block writers', async () => {
    await client.query('begin')
    await client.query("update letter set town = 'Swindon' where id = 1")

    const migrating = migrate(url, { migrations: [table, index] })
    const writer = await aSession(url)
    await eventually(async () => (await findIndexes(writer)).length === 1, {
      message: 'the index is being built',
    })
    await writer.query("update letter set town = 'Bath' where id = 2")
    await client.query('commit')

    expect(await migrating).toEqual({ applied: [index.name] })
    expect(await findIndexes(client)).toEqual([{ name: 'letter_town', valid: true }])
  })

  test('is built again after a failed build left it invalid', async () => {
    await client.query("update letter set town = 'Swindon' where id in (1, 2)")
    await expect(migrate(url, { migrations: [table, index] })).rejects.toThrow('0002_town.sql')
    expect(await findIndexes(client)).toEqual([{ name: 'letter_town', valid: false }])
    await client.query("update letter set town = 'Bath' where id = 2")

    expect(await migrate(url, { migrations: [table, index] })).toEqual({ applied: [index.name] })

    expect(await findIndexes(client)).toEqual([{ name: 'letter_town', valid: true }])
  })

  test('is completed after the process was killed during the build', async () => {
    await client.query('begin')
    await client.query("update letter set town = 'Swindon' where id = 1")
    const child = migrateApart(url, [table, index])
    const observer = await aSession(url)
    await eventually(async () => (await findIndexes(observer)).length === 1, {
      message: 'the index is being built',
    })
    child.kill('SIGKILL')
    await once(child, 'exit')
    await client.query('commit')

    await migrate(url, { migrations: [table, index] })

    expect(await findIndexes(client)).toEqual([{ name: 'letter_town', valid: true }])
  })

  test('is built once when two processes start together', async () => {
    await client.query('begin')
    await client.query("update letter set town = 'Swindon' where id = 1")
    const lines: string[] = []
    const both = [1, 2].map(() =>
      migrate(url, { migrations: [table, index], log: (line) => void lines.push(line) }),
    )
    await eventually(() => lines.length > 0, { message: 'one migration waits for the other' })
    await client.query('commit')

    const applied = (await Promise.all(both)).map((one) => one.applied.length)

    expect(applied.toSorted()).toEqual([0, 1])
    expect(lines).toEqual(['Another process is migrating this database. Waiting for it'])
  })

  test('shares its migration only with other indexes', async () => {
    const mixed = aMigration(
      '0002_mixed.sql',
      '-- concurrently\n-- Why.\nupdate letter set town = null;\n',
    )

    await expect(migrate(url, { migrations: [table, mixed] })).rejects.toThrow('0002_mixed.sql')
  })
})

test('a migration in parts keeps the parts before a failed one, and runs all parts again', async () => {
  const url = await anEmptyDatabase()
  const parts = (last: string) =>
    aMigration(
      '0002_parts.sql',
      `-- Why.\nalter table letter add column if not exists county text;\n-- commit\n${last}\n`,
    )
  await migrate(url, { migrations: [table] })

  await expect(migrate(url, { migrations: [table, parts('select 1 / 0;')] })).rejects.toThrow(
    '0002_parts.sql',
  )
  const client = await aSession(url)
  await client.query("update letter set county = 'Wilts' where id = 1")
  const index = '-- concurrently\ncreate index concurrently letter_county on letter (county);'
  const { applied } = await migrate(url, { migrations: [table, parts(index)] })

  expect(applied).toEqual(['0002_parts.sql'])
  expect(await findIndexes(client)).toEqual([{ name: 'letter_county', valid: true }])
})

test('a migration that is killed halfway leaves no changes', async () => {
  const url = await anEmptyDatabase()
  await migrate(url, { migrations: [table] })
  const slow = aMigration(
    '0002_slow.sql',
    '-- Slow.\nalter table letter add column county text;\nselect pg_sleep(30);\n',
  )
  const child = migrateApart(url, [table, slow])
  const observer = await aSession(url)
  await eventually(
    async () =>
      (
        await observer.query(
          "select 1 from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()",
        )
      ).rowCount,
    { message: 'the migration is in the middle' },
  )
  child.kill('SIGKILL')
  await once(child, 'exit')

  expect(await migrate(url, { migrations: [table, column] })).toEqual({ applied: [column.name] })
})

describe('the baseline', () => {
  const appliedTo = async (client: pg.Client) => {
    const { rows } = await client.query<{ name: string }>('select name from migration')
    return rows.map(({ name }) => name)
  }

  test('is applied to an empty database before the migrations, all of them once', async () => {
    const url = await anEmptyDatabase()

    const applied = [await migrate(url), await migrate(url)]

    const names = (await readMigrations()).map(({ name }) => name)
    expect(names[0]).toBe('baseline')
    expect(applied).toEqual([{ applied: names }, { applied: [] }])
    expect(await appliedTo(await aSession(url))).toEqual(names)
  })

  const refusal =
    'This database has the data of an unreleased version of Despatch, which cannot be upgraded. Export what you need with that version, then remove the data folder (.despatch or DESPATCH_DATA_DIR) or give DATABASE_URL an empty database'

  test('is not applied to a database that migrations of an unreleased version made', async () => {
    const url = await anEmptyDatabase()
    await migrate(url, { migrations: [table] })

    await expect(migrate(url)).rejects.toThrow(refusal)

    const client = await aSession(url)
    expect(await appliedTo(client)).toEqual([table.name])
    const { rows } = await client.query(
      `select relname from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' order by 1`,
    )
    expect(rows).toEqual([{ relname: 'letter' }, { relname: 'migration' }])
  })

  test('is not applied to a database of another baseline', async () => {
    const url = await anEmptyDatabase()
    await migrate(url, { migrations: [{ ...table, name: 'baseline' }] })

    await expect(migrate(url)).rejects.toThrow(refusal)

    expect(await appliedTo(await aSession(url))).toEqual(['baseline'])
  })
})
