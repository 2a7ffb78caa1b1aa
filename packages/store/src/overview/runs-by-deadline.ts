import type { PrintRunState } from '@despatch/domain/print-run/state'
import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** Print runs in one state with the same expected despatch date. Null: the date is not known yet. */
export type RunsOfDay = {
  /** YYYY-MM-DD, of London. */
  expectedDespatchDate: string | null
  state: PrintRunState
  runs: number
  documents: number
  isOverdue: boolean
}

/** Reads print runs that are neither closed nor voided, by day, limited to the first `rowsMax` rows. */
export async function readRunsByDeadline(db: Db, rowsMax: number): Promise<RunsOfDay[]> {
  const { rows } = await sql<RunsOfDay>`
    select to_char(expected_despatch_on, 'YYYY-MM-DD') as "expectedDespatchDate", state, count(*) as runs,
      coalesce(sum(document_count), 0)::bigint as documents,
      coalesce(expected_despatch_on < (now() at time zone 'Europe/London')::date, false)
        and state in ('OPEN', 'RELEASED', 'CLAIMED') as "isOverdue"
    from print_run where state not in ('CLOSED', 'VOIDED')
    group by expected_despatch_on, state
    order by expected_despatch_on nulls last, state
    limit ${rowsMax}`.execute(db)
  return rows
}
