import {
  documentOutcomes,
  isPostable,
  isPostableOnBehalf,
} from '@despatch/domain/print-run/document-progress'
import { aDatabase } from '@despatch/testing/a-database'
import { shared } from '@despatch/testing/shared'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { isPostableOnBehalfRow, isPostableRow } from '../src/print-run/postable.ts'

const database = await shared(aDatabase({ connectionsMax: 1 }))

const standings = [null, ...documentOutcomes].flatMap((outcome) =>
  ([null, 'FETCHED', 'PRINTED', 'ENCLOSED', 'SPOILED'] as const).flatMap((progress) =>
    [1, 2].map((attempt) => ({ firstAttempt: 1, attempt, progress, outcome })),
  ),
)

async function judge(rows: readonly object[], rule = isPostableRow): Promise<boolean[]> {
  const judged = await sql<{ isPostable: boolean }>`
    select ${rule} as "isPostable"
    from json_to_recordset(${JSON.stringify(rows)}::json) as document (first_attempt integer, attempt integer,
      progress text, outcome text, removed_at timestamptz, voided_at timestamptz)`.execute(
    database.db,
  )
  return judged.rows.map((row) => row.isPostable)
}

test('the database decides on posting each document as the domain does', async () => {
  const rows = standings.map(({ firstAttempt, ...row }) => ({
    ...row,
    first_attempt: firstAttempt,
  }))

  expect(await judge(rows)).toEqual(standings.map(isPostable))
  expect(await judge(rows, isPostableOnBehalfRow)).toEqual(standings.map(isPostableOnBehalf))
})

test.each([
  ['by its provider', isPostableRow],
  ['on its behalf', isPostableOnBehalfRow],
])('a withdrawn document, or one of a reassigned run, is not posted %s', async (_, rule) => {
  const row = { first_attempt: 1, attempt: 1, progress: null, outcome: null }
  const at = '2026-01-31T17:30:00Z'

  const rows = [row, { ...row, removed_at: at }, { ...row, voided_at: at }]
  expect(await judge(rows, rule)).toEqual([true, false, false])
})
