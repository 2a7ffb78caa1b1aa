import type { Finding } from '@despatch/domain/preflight/finding'
import type { PrintJobNote } from '@despatch/domain/print-job/note'
import { sql } from 'kysely'
import type { Tx } from '../database.ts'

/** A timeline entry that is not a transition. `reason` contains no personal information. */
type NewNote = {
  key: string
  note: PrintJobNote
  reason?: string | undefined
  /** Findings of the letter that was made again; they replace the earlier ones. */
  findings?: readonly Finding[]
}

/**
 * Adds notes to the timelines of print jobs. Notes of one print job keep their order. The status does not change. The
 * caller has locked the print jobs or the rows that lead to them, so that no two transactions number the same timeline
 * at once.
 */
export async function notePrintJobs(
  tx: Tx,
  notes: readonly NewNote[],
  { actor }: { actor: string },
): Promise<void> {
  if (notes.length === 0) return
  await sql`
    with note as (
      select row.*, row_number() over (partition by key order by place) as step
      from unnest(${notes.map(({ key }) => key)}::uuid[], ${notes.map(({ note }) => note)}::text[],
        ${notes.map(({ reason }) => reason ?? null)}::text[],
        ${notes.map(({ findings }) => (findings ? JSON.stringify(findings) : null))}::text[])
        with ordinality as row (key, note, reason, findings, place)
    ), job as (
      update print_job set event_sequence = event_sequence + noted.steps, updated_at = now()
      from (select key, max(step) as steps from note group by key) noted
      where print_job.key = noted.key
      returning print_job.key, print_job.status, print_job.event_sequence - noted.steps as before
    )
    insert into print_job_event (print_job_key, sequence, transition, status, actor, reason, findings)
    select key, before + step, note, status, ${actor}, reason, findings::jsonb from note join job using (key)`.execute(
    tx,
  )
}
