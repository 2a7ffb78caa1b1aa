import type { CountPrintJobsRequest } from '@despatch/contracts/administration/print-job'
import { addDays } from '@despatch/domain/calendar/london'
import { numberOf, type RuleId, rules } from '@despatch/domain/preflight/rules'
import { leastKeyAt } from '@despatch/domain/print-job/key-time'
import type { PrintJobStatus } from '@despatch/domain/print-job/status'
import type { LondonDate } from '@despatch/domain/print-run/capabilities'
import type { PrintRunDespatchMethod } from '@despatch/domain/print-run/despatch-method'
import {
  type Deadlines,
  despatchMethodOf,
  isWaiting,
  listReadyUntils,
  readyAtOf,
} from '@despatch/store/print-run/due-runs'
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

/** SQL condition on `job`: it matches the filters. */
export function matches(
  filters: PrintJobFilters,
  deadlines: Pick<Deadlines, 'sitesOf'>,
): RawBuilder<unknown> {
  const { statuses, rule, dueFrom, dueTo } = filters
  return all([
    statuses && sql`job.status = any (${statuses}::text[])`,
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

type DueDates = Pick<PrintJobFilters, 'dueFrom' | 'dueTo'>

/** A letter in a print run is due when its run is. Of the others, the letters that are ready within a time are due. */
function isDue(
  { dueFrom, dueTo }: DueDates,
  deadlines: Pick<Deadlines, 'sitesOf'>,
): RawBuilder<unknown> {
  const ofRun = all([
    dueFrom !== undefined && sql`run.expected_despatch_on >= ${dueFrom}`,
    dueTo !== undefined && sql`run.expected_despatch_on <= ${dueTo}`,
    sql`run.expected_despatch_on is not null`,
  ])
  const dates = [
    ...(dueFrom === undefined ? [] : [addDays(dueFrom, -1)]),
    ...(dueTo === undefined ? [] : [dueTo]),
  ]
  const ofMethods = listReadyUntils(deadlines, dates).map(({ despatchMethod, untils }) => {
    const from = dueFrom === undefined ? undefined : untils[0]
    const to = dueTo === undefined ? undefined : untils.at(-1)
    return isReadyIn(despatchMethod, { from, to })
  })
  return sql`(job.deleted_at is null and job.status <> 'REJECTED' and (
    exists (select from print_run run where run.batch_number = job.batch_number and ${ofRun})
    or ${isWaiting} and ${anyOf(ofMethods)}))`
}

function isReadyIn(
  despatchMethod: PrintRunDespatchMethod,
  { from, to }: { from?: Date | undefined; to?: Date | undefined },
): RawBuilder<unknown> {
  return all([
    sql`${despatchMethodOf} = ${despatchMethod}`,
    from && sql`${readyAtOf} >= ${from}`,
    to && sql`${readyAtOf} < ${to}`,
  ])
}

function anyOf(conditions: readonly RawBuilder<unknown>[]): RawBuilder<unknown> {
  return conditions.length === 0 ? sql`false` : sql`(${sql.join(conditions, sql` or `)})`
}
