import { randomBytes } from 'node:crypto'
import { type Migration, migrate, readMigrations } from '@despatch/store/migrate'
import { aKeyAt } from '@despatch/testing/print-job-builders'
import pg from 'pg'
import { expect, inject, onTestFinished, test } from 'vitest'

const name = '0034_letter_partitions.sql'
const all = await readMigrations()
const before = all.filter((migration) => migration.name < name)
const partitions = all.find((migration) => migration.name === name)!

/** A database before the migration, with events and search terms of letters of the last hundred days. */
async function aFilledDatabase() {
  const { postgresUrl } = inject('infra')
  const url = new URL(postgresUrl)
  url.pathname = `/partitions_${randomBytes(6).toString('hex')}`
  const admin = new pg.Client({ connectionString: postgresUrl })
  await admin.connect()
  await admin.query(`create database ${url.pathname.slice(1)}`)
  await migrate(url.href, { migrations: before })
  const client = new pg.Client({ connectionString: url.href })
  await client.connect()
  onTestFinished(async () => {
    await client.end()
    await admin.query(`drop database ${url.pathname.slice(1)} with (force)`)
    await admin.end()
  })
  const keys = Array.from({ length: 100 }, (_, days) => keyAt(days))
  await client.query(insertEvents, [keys])
  await client.query(
    'insert into search_term (term, print_job_key) select * from unnest($1::bigint[], $2::uuid[])',
    [keys.map(termOf), keys],
  )
  return { url: url.href, client }
}

const insertEvents = `
  insert into print_job_event (print_job_key, sequence, transition, status, actor)
  select key, sequence, 'submit', 'QUARANTINE', 'consumer' from unnest($1::uuid[]) key, generate_series(1, 5) sequence`

const keyAt = (daysAgo: number) => aKeyAt(new Date(Date.now() - daysAgo * 86_400_000))

function termOf(key: string): string {
  const ms = BigInt(`0x${key.replaceAll('-', '').slice(0, 12)}`)
  return String((((ms >> 27n) - (1n << 20n)) << 43n) | 7n)
}

async function contentsOf(client: pg.Client) {
  const { rows } = await client.query(
    `select (select json_agg(event order by print_job_key, sequence) from print_job_event event) as events,
       (select json_agg(term order by term, print_job_key) from search_term term) as terms`,
  )
  return rows[0]
}

test('what was there stays, in the first partition, and statements that were prepared before go on', async () => {
  const { url, client } = await aFilledDatabase()
  const contents = await contentsOf(client)
  const insert = { name: 'insert-events', text: insertEvents }
  await client.query({ ...insert, values: [[]] })

  await migrate(url)

  expect(await contentsOf(client)).toEqual(contents)
  await client.query({ ...insert, values: [[keyAt(0), keyAt(-100)]] })
  const { rows } = await client.query(
    `select tableoid::regclass::text like '%\\_first' as "isFirst", count(*)::integer as count
     from print_job_event group by 1 order by 1`,
  )
  expect(rows).toEqual([
    { isFirst: false, count: 5 },
    { isFirst: true, count: 505 },
  ])
  await expect(
    client.query({ ...insert, values: [[contents.events[0].print_job_key]] }),
  ).rejects.toThrow('duplicate key')
})

test('it may be interrupted after each part, and runs again', async () => {
  const { url, client } = await aFilledDatabase()
  const contents = await contentsOf(client)
  const parts = partitions.sql.split('-- commit\n')
  const interruptedAfter = (count: number): Migration => ({
    ...partitions,
    sql: [...parts.slice(0, count), 'select 1 / 0'].join('-- commit\n'),
  })
  for (let count = 1; count < parts.length; count++) {
    await expect(
      migrate(url, { migrations: [...before, interruptedAfter(count)] }),
    ).rejects.toThrow(name)
  }

  await migrate(url)

  expect(await contentsOf(client)).toEqual(contents)
})

test('roles that may use a table may use its partitions', async () => {
  const { url, client } = await aFilledDatabase()
  const role = `reader_${randomBytes(4).toString('hex')}`
  await client.query(`create role ${role}`)
  onTestFinished(() => client.query(`drop owned by ${role}; drop role ${role}`).then(() => {}))
  await client.query(`grant select on print_job_event, search_term to ${role}`)

  await migrate(url)

  await client.query(`set role ${role}`)
  const { rows } = await client.query(
    'select (select count(*) from print_job_event)::integer as events, (select count(*) from search_term)::integer as terms',
  )
  await client.query('reset role')
  expect(rows).toEqual([{ events: 500, terms: 100 }])
})
