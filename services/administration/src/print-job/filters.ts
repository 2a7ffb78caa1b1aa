import type { CountPrintJobsRequest } from '@despatch/contracts/administration/print-job'
import { addDays } from '@despatch/domain/calendar/london'
import { numberOf, type RuleId, rules } from '@despatch/domain/preflight/rules'
import { leastKeyAt } from '@despatch/domain/print-job/key-time'
import type { PrintJobStatus } from '@despatch/domain/print-job/status'
import type { LondonDate } from '@despatch/domain/print-run/capabilities'
import type { Deadlines } from '@despatch/store/print-run/due-runs'
import {
  isReadyIn,
  isReadyInRange,
  isWaiting,
  type RangeOf,
  rangesByMethod,
} from '@despatch/store/print-run/waiting-letters'
import { type RawBuilder, sql } from 'kysely'

/** The filters that no other part of a search has. A print job must match all of them. */
export type PrintJobFilters = {
  statuses?: readonly PrintJobStatus[] | undefined
  /** The number of a preflight rule. */
  rule?: string | undefined
  createdFrom?: Date | undefined
  /** Exclusive. */
  createdTo?: Date | undefined
  dueFrom?: LondonDate | undefined
  /** Inclusive. */
  dueTo?: LondonDate | undefined
}

/** Returns the filters of a request. */
export function filtersOf({
  status,
  statuses = status && [status],
  createdFrom,
  createdTo,
  ...others
}: CountPrintJobsRequest) {
  return {
    ...others,
    statuses,
    createdFrom: createdFrom === undefined ? undefined : new Date(createdFrom),
    createdTo: createdTo === undefined ? undefined : new Date(createdTo),
  }
}

/** SQL condition on the keys of `job`, which begin with the time of acceptance. */
export function isInRange({ createdFrom, createdTo }: PrintJobFilters): RawBuilder<unknown> {
  return all([
    createdFrom && sql`job.key >= ${leastKeyAt(createdFrom)}`,
    createdTo && sql`job.key < ${leastKeyAt(createdTo)}`,
  ])
}

/** SQL condition on `job`: it matches the filters. A deleted print job has no status that could be searched for. */
export function matches(
  filters: PrintJobFilters,
  deadlines: Pick<Deadlines, 'letterClasses'>,
): RawBuilder<unknown> {
  const { statuses, rule, dueFrom, dueTo } = filters
  return all([
    statuses && sql`job.status = any (${statuses}::text[]) and job.deleted_at is null`,
    rule !== undefined && isRejectedFor(rule),
    (dueFrom !== undefined || dueTo !== undefined) && isDue({ dueFrom, dueTo }, deadlines),
    isInRange(filters),
  ])
}

function all(conditions: readonly (RawBuilder<unknown> | false | undefined)[]) {
  const given = conditions.filter((condition) => condition !== false && condition !== undefined)
  return given.length === 0 ? sql`true` : sql`(${sql.join(given, sql` and `)})`
}

function isRejectedFor(number: string): RawBuilder<unknown> {
  const ids = (Object.keys(rules) as RuleId[]).filter((id) => numberOf(id) === number)
  const finding = JSON.stringify(ids.map((rule) => ({ rule, severity: 'refusal' })))
  return sql`(job.status = 'REJECTED' and exists (
    select from print_job_event
    where print_job_key = job.key and transition = 'reject' and findings @> ${finding}::jsonb))`
}

type DueDateRange = Pick<PrintJobFilters, 'dueFrom' | 'dueTo'>
type LetterClasses = Pick<Deadlines, 'letterClasses'>

/** A letter in a print run is due when its run is. Of the others, the letters that are ready within a time are due. */
function isDue(range: DueDateRange, { letterClasses }: LetterClasses): RawBuilder<unknown> {
  return sql`(job.deleted_at is null and job.status <> 'REJECTED' and (
    exists (select from print_run run where run.batch_number = job.batch_number and ${isRunDue(range)})
    or ${isWaiting} and ${isReadyIn(letterClasses, readyFor(range))}))`
}

/** Returns a query for the keys of the letters that are due, and perhaps of others, that reads only what indexes find. */
export function dueKeys(range: DueDateRange, { letterClasses }: LetterClasses) {
  const waiting = rangesByMethod(letterClasses, readyFor(range)).map(
    (ready) => sql`select key from print_job job where ${isWaiting} and ${isReadyInRange(ready)}`,
  )
  const inRuns = sql`
    select document.print_job_key as key
    from print_run run join print_run_document document on document.batch_number = run.batch_number
    where ${isRunDue(range)} and document.removed_at is null and document.voided_at is null`
  return sql.join([inRuns, ...waiting], sql` union all `)
}

function isRunDue({ dueFrom, dueTo }: DueDateRange): RawBuilder<unknown> {
  return all([
    dueFrom !== undefined && sql`run.expected_despatch_on >= ${dueFrom}`,
    dueTo !== undefined && sql`run.expected_despatch_on <= ${dueTo}`,
    sql`run.expected_despatch_on is not null`,
  ])
}

/** When letters must be ready to be due in the range. */
function readyFor({ dueFrom, dueTo }: DueDateRange): RangeOf {
  return (dueDates) => {
    const from = dueFrom === undefined ? undefined : dueDates.readyUntil(addDays(dueFrom, -1))
    const until = dueTo === undefined ? undefined : dueDates.readyUntil(dueTo)
    return dueTo !== undefined && !until ? undefined : { from, until }
  }
}
