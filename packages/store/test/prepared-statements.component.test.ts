import { prepared } from '@despatch/postgres/prepared'
import { aDatabase } from '@despatch/testing/a-database'
import { shared } from '@despatch/testing/shared'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { type Db, openDatabase } from '../src/database.ts'

const { url } = await shared(aDatabase())

/** A database with one connection, so that each statement meets those before it. */
async function withOneConnection(
  options: { prefersIndexes?: boolean },
  work: (db: Db) => Promise<void>,
): Promise<void> {
  const { db, close } = openDatabase(url, { name: 'test', connectionsMax: 1, ...options })
  await work(db).finally(close)
}

const add = async (db: Db, one: number, other: number) => {
  const { rows } = await sql<{ sum: number }>`${prepared('add')}
    select ${one}::integer + ${other}::integer as sum`.execute(db)
  return rows[0]!.sum
}

test('a statement is prepared once under its name, whatever its values', async () => {
  await withOneConnection({}, async (db) => {
    expect([await add(db, 1, 2), await add(db, 3, 4), await add(db, 5, 6)]).toEqual([3, 7, 11])

    const { rows } = await sql<{ name: string; runs: number }>`
      select name, generic_plans + custom_plans as runs from pg_prepared_statements`.execute(db)
    expect(rows).toEqual([{ name: 'add', runs: 3 }])
  })
})

test('two statements of one name are refused', async () => {
  await withOneConnection({}, async (db) => {
    await add(db, 1, 2)

    await expect(sql`${prepared('add')} select 1`.execute(db)).rejects.toThrow('add')
  })
})

test('a plan from when a table was empty looks up rows once it has many', async () => {
  await withOneConnection({ prefersIndexes: true }, async (db) => {
    await sql`create temporary table number (value integer primary key) with (autovacuum_enabled = off)`.execute(
      db,
    )
    await sql`analyze number`.execute(db)
    const plan = async () => {
      const { rows } = await sql<Record<string, string>>`explain execute find_number(1)`.execute(db)
      return rows.map((row) => row['QUERY PLAN']).join('\n')
    }
    await sql`prepare find_number as select value from number where value = $1`.execute(db)
    for (let run = 0; run < 6; run += 1) await sql`execute find_number(1)`.execute(db)

    expect(await plan()).toContain('$1')
    expect(await plan()).not.toContain('Seq Scan')
  })
})
