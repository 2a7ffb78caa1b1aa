import { sql } from 'kysely'
import type { Db } from '../database.ts'

export const runSteps = ['released', 'claimed', 'acknowledged', 'closed', 'voided'] as const
export const documentFigures = [
  'outstanding',
  'posted',
  'despatched',
  'refused',
  'failed',
  'recalled',
] as const

export type ReconciliationFigures = {
  /** Print runs that reached the step in the last day. */
  runsLastDay: Record<(typeof runSteps)[number], number>
  /** Documents of the claimed and unfinished print runs, by what is known of them. */
  documents: Record<(typeof documentFigures)[number], number>
}

/** Reads the reconciliation of print providers' work. */
export async function readReconciliationFigures(db: Db): Promise<ReconciliationFigures> {
  const [runsLastDay, documents] = await Promise.all([countSteps(db), countDocuments(db)])
  return { runsLastDay, documents }
}

/** A run has many letters, so there are few runs. */
async function countSteps(db: Db): Promise<ReconciliationFigures['runsLastDay']> {
  const { rows } = await sql<ReconciliationFigures['runsLastDay']>`
    select count(*) filter (where released_at > since) as released,
      count(*) filter (where claimed_at > since) as claimed,
      count(*) filter (where acknowledged_at > since) as acknowledged,
      count(*) filter (where closed_at > since) as closed,
      count(*) filter (where voided_at > since) as voided
    from print_run, (select now() - interval '1 day' as since) day`.execute(db)
  return rows[0]!
}

async function countDocuments(db: Db): Promise<ReconciliationFigures['documents']> {
  const { rows } = await sql<{ account: keyof ReconciliationFigures['documents']; count: number }>`
    select case when outcome is not null then lower(outcome)
        when posting_id is not null then 'posted' else 'outstanding' end as account, count(*) as count
    from print_run join print_run_document document using (batch_number)
    where state not in ('OPEN', 'RELEASED', 'CLOSED', 'VOIDED')
      and document.removed_at is null and document.voided_at is null and document.sequence is not null
    group by account`.execute(db)
  const counts = new Map(rows.map(({ account, count }) => [account, count]))
  return {
    outstanding: counts.get('outstanding') ?? 0,
    posted: counts.get('posted') ?? 0,
    despatched: counts.get('despatched') ?? 0,
    refused: counts.get('refused') ?? 0,
    failed: counts.get('failed') ?? 0,
    recalled: counts.get('recalled') ?? 0,
  }
}
