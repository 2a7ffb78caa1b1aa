import type { DueDates } from '@despatch/domain/calendar/due-date'
import type { PrintRunDespatchMethod } from '@despatch/domain/print-run/despatch-method'
import type { LetterClass } from '@despatch/domain/print-run/letter-classes'
import { type RawBuilder, sql } from 'kysely'

/** SQL for the despatch method by which `job` is produced, as in the index print_job_waiting_as. */
export const despatchMethodOf = sql<PrintRunDespatchMethod>`coalesce(job.produced_as, job.standard_params ->> 'despatchMethod', 'SECOND')`

/**
 * SQL for when `job`, which is in no print run, is or was ready for one, as in the index print_job_waiting_as. It counts
 * what its consumer decides. The time that our checks take does not count, so that our delay does not move a due date.
 */
export const readyAtOf = sql<Date>`greatest(job.created_at, job.not_before, job.hold_ended_at)`

/** SQL condition on `job`, that of the index print_job_waiting_as: it is in no print run and has a due date. */
export const isWaiting = sql<boolean>`(
  job.status in ('QUARANTINE', 'VALIDATING', 'PENDING') and job.batch_number is null and job.deleted_at is null
  and job.held_at is null)`

/** A range of times of readiness. Undefined: no bound. `until` is exclusive. */
type ReadyRange = { from?: Date | undefined; until?: Date | undefined }

/** Returns the range of a class of letters; undefined: none of them. */
export type RangeOf = (dueDates: DueDates) => ReadyRange | undefined

/** SQL condition on `job`, which waits: it is ready within the range of its class. */
export function isReadyIn(classes: readonly LetterClass[], rangeOf: RangeOf): RawBuilder<unknown> {
  const ranges = rangesByMethod(classes, rangeOf)
  if (ranges.length === 0) return sql`false`
  // the ranges of all classes come first, because they cost less
  const isNear = ranges.map((range) => isReadyInRange(range))
  return sql`((${sql.join(isNear, sql` or `)}) and exists (
    select from (select) one ${joinClass(classes, rangeOf)}
    where ${readyAtOf} >= coalesce(class.ready_from, '-infinity')
      and ${readyAtOf} < coalesce(class.ready_until, 'infinity')))`
}

/** SQL condition on `job`, which waits: its despatch method is that of the range, and it is ready within it. */
export function isReadyInRange({ despatchMethod, from, until }: MethodRange): RawBuilder<unknown> {
  const conditions = [
    sql`${despatchMethodOf} = ${despatchMethod}`,
    from && sql`${readyAtOf} >= ${from}`,
    until && sql`${readyAtOf} < ${until}`,
  ].filter((condition) => condition !== undefined)
  return sql`(${sql.join(conditions, sql` and `)})`
}

/**
 * SQL that joins `job` to its contract and to its class: `class.ready_from` and `class.ready_until` are the range of the
 * class, or null.
 */
export function joinClass(classes: readonly LetterClass[], rangeOf: RangeOf): RawBuilder<unknown> {
  const rows = classes.flatMap(({ dueDates, ...needs }) => {
    const range = rangeOf(dueDates)
    return range ? [{ ...needs, ...range }] : []
  })
  return sql`
    join contract on contract.id = job.contract_id
    join (
      select "despatchMethod", stationery, plex, colour, "sheetsFrom", "sheetsTo", "from" as ready_from,
        until as ready_until
      from json_to_recordset(${JSON.stringify(rows)}::json) as row (
        "despatchMethod" text, stationery text, plex text, colour boolean, "sheetsFrom" integer, "sheetsTo" integer,
        "from" timestamptz, until timestamptz)
    ) class on class."despatchMethod" = ${despatchMethodOf} and class.stationery = contract.stationery
      and class.plex = contract.plex and class.colour = contract.colour
      and coalesce(job.document_sheets, 1) between class."sheetsFrom" and class."sheetsTo"`
}

type MethodRange = ReadyRange & { despatchMethod: PrintRunDespatchMethod }

/** Returns, for each despatch method, the smallest range that contains those of its classes. */
export function rangesByMethod(classes: readonly LetterClass[], rangeOf: RangeOf): MethodRange[] {
  const byMethod = Map.groupBy(classes, ({ despatchMethod }) => despatchMethod)
  return [...byMethod].flatMap(([despatchMethod, ofMethod]) => {
    const ranges = [...new Set(ofMethod.map(({ dueDates }) => dueDates))].flatMap(
      (dueDates) => rangeOf(dueDates) ?? [],
    )
    if (ranges.length === 0) return []
    const froms = ranges.map(({ from }) => (from ? +from : -Infinity))
    const untils = ranges.map(({ until }) => (until ? +until : Infinity))
    return [
      { despatchMethod, from: dateOf(Math.min(...froms)), until: dateOf(Math.max(...untils)) },
    ]
  })
}

function dateOf(ms: number): Date | undefined {
  return Number.isFinite(ms) ? new Date(ms) : undefined
}
