import { insertProvider } from '@despatch/store/access/consumers'
import { readDeadlines } from '@despatch/store/print-run/due-runs'
import { aDatabase } from '@despatch/testing/a-database'
import { shared } from '@despatch/testing/shared'
import { somePrintRuns } from '@despatch/testing/some-print-runs'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { lateLetters } from '../src/print-job/late.ts'

test('late letters are found without reading print runs whose documents all have outcomes', async () => {
  const { db, url } = await shared(aDatabase())
  await insertProvider(db, { id: 'north', name: 'North', printLocations: ['NORTH'] })
  const runs = await shared(somePrintRuns(url))
  const ended = await runs.aClaimedRun(500)
  const late = await runs.aClaimedRun(1)
  await sql`update print_run set expected_despatch_on = '2026-03-06'`.execute(db)
  await sql`
    update print_run_document set outcome = 'FAILED' where batch_number = ${ended.batchNumber}`.execute(
    db,
  )

  const { keys, read } = await db.transaction().execute(async (tx) => {
    const documentsRead = async () => {
      const { rows } = await sql<{ rows: number }>`
        select (seq_tup_read + idx_tup_fetch)::integer as rows
        from pg_stat_xact_user_tables where relname = 'print_run_document'`.execute(tx)
      return rows[0]!.rows
    }
    await sql`analyze print_run_document`.execute(tx)
    const deadlines = await readDeadlines(tx, new Date('2026-03-09T12:00Z'))
    const before = await documentsRead()
    const { rows } = await sql<{ key: string }>`${lateLetters('overdue', deadlines).keys}`.execute(
      tx,
    )
    return { keys: rows.map(({ key }) => key), read: (await documentsRead()) - before }
  })

  expect(keys).toEqual(late.keys)
  expect(read).toBe(1)
})
