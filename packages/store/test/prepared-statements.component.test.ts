import { prepared } from '@despatch/postgres/prepared'
import { aDatabase } from '@despatch/testing/a-database'
import { aSubmission, insertConsumer } from '@despatch/testing/print-job-builders'
import { shared } from '@despatch/testing/shared'
import { endBatch, takeBatch } from '@despatch/work/batch-lease'
import { createBatchChooser } from '@despatch/work/choose-batches'
import { formBatches } from '@despatch/work/form-batches'
import { lanesOf } from '@despatch/work/kind'
import { createMarks } from '@despatch/work/marks'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { type Database, type Db, openDatabase } from '../src/database.ts'
import { letterKind } from '../src/print-job/letter-kind.ts'
import { saveSubmissions } from '../src/print-job/submissions.ts'

const { url } = await shared(aDatabase())

/** A database with one connection, so that each statement meets those before it. */
async function withOneConnection(
  options: { prefersIndexes?: boolean },
  work: (database: Database) => Promise<void>,
): Promise<void> {
  const database = openDatabase(url, { name: 'test', connectionsMax: 1, ...options })
  await work(database).finally(database.close)
}

const add = async (db: Db, one: number, other: number) => {
  const { rows } = await sql<{ sum: number }>`${prepared('add')}
    select ${one}::integer + ${other}::integer as sum`.execute(db)
  return rows[0]!.sum
}

test('a statement is prepared once under its name, whatever its values', async () => {
  await withOneConnection({}, async ({ db }) => {
    expect([await add(db, 1, 2), await add(db, 3, 4), await add(db, 5, 6)]).toEqual([3, 7, 11])

    const { rows } = await sql<{ name: string; runs: number }>`
      select name, generic_plans + custom_plans as runs from pg_prepared_statements`.execute(db)
    expect(rows).toEqual([{ name: 'add', runs: 3 }])
  })
})

test('two statements of one name are refused', async () => {
  await withOneConnection({}, async ({ db }) => {
    await add(db, 1, 2)

    await expect(sql`${prepared('add')} select 1`.execute(db)).rejects.toThrow('add')
  })
})

test('a plan from when a table was empty looks up rows once it has many', async () => {
  await withOneConnection({ prefersIndexes: true }, async ({ db }) => {
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

test('the statements of each batch are planned in their first five runs only', async () => {
  await withOneConnection({ prefersIndexes: true }, async ({ db, pool }) => {
    const consumer = await insertConsumer(db)
    const options = {
      ...createBatchChooser(letterKind),
      marks: createMarks(lanesOf(letterKind)),
      pausedQueues: [],
    }
    for (let pass = 0; pass < 20; pass += 1) {
      await saveSubmissions(
        pool,
        Array.from({ length: 1 + (pass % 3) }, () => aSubmission(consumer)),
      )
      for (const batch of await formBatches(db, letterKind, options)) {
        const { lease, subjects } = (await takeBatch(db, letterKind, batch, 20))!
        const { consumerId } = consumer
        await endBatch(db, letterKind, lease, [
          { lane: batch.lane, consumerId, size: subjects.length, ms: 5 },
        ])
      }
    }

    const { rows } = await sql<{ name: string; planned: number }>`
      select name, custom_plans as planned from pg_prepared_statements
      where name like '%letter%' and generic_plans + custom_plans >= 20 order by name`.execute(db)
    const names = [
      'begin-forming letter',
      'end-batch letter',
      'form-batches letter',
      'look-back letter',
    ]
    const others = ['move-due letter', 'read-letters', 'read-waiting letter', 'take-batch letter']
    expect(rows).toEqual([...names, ...others].map((name) => ({ name, planned: 5 })))
  })
})
