import type { Finding } from '@despatch/domain/preflight/finding'
import type { StandardParams } from '@despatch/domain/print-job/params'
import type { DespatchProperty } from '@despatch/domain/print-run/despatch-properties'
import {
  remainingComment,
  remainingDespatchProperties,
  remainingFindings,
  remainingReason,
  remainingStandardParams,
} from '@despatch/domain/purge/remains'
import { sql } from 'kysely'

/** SQL condition on `job`: its purge has begun or is complete. Personal data is hidden once the purge has begun. */
export const isPurgeBegun = sql<boolean>`job.purge_began_at is not null`

/** SQL for the findings for which `job` was rejected; null before its purge begins. */
export const refusedFor = sql<Finding[] | null>`case when ${isPurgeBegun} then coalesce((
  select findings from print_job_event
  where print_job_key = job.key and transition = 'reject' and findings is not null), '[]') end`

type RedactedMembers = {
  comment: string | null
  printableAddress: unknown
  files: readonly unknown[]
}

/** Returns a print job as it is shown once its purge has begun, which is how it is shown afterwards. */
export function withoutFiles<PrintJob extends RedactedMembers>(
  printJob: PrintJob,
  findings: readonly Finding[],
) {
  return {
    ...printJob,
    comment: remainingComment(findings),
    printableAddress: null,
    files: [],
  }
}

type RedactedRecord = RedactedMembers & {
  standardParams: StandardParams
  despatchProperties: DespatchProperty[] | null
}

/** As `withoutFiles`, for a print job that its consumer reads. */
export function withoutParams<PrintJob extends RedactedRecord>(
  printJob: PrintJob,
  findings: readonly Finding[],
) {
  return {
    ...withoutFiles(printJob, findings),
    standardParams: remainingStandardParams(printJob.standardParams),
    customParams: null,
    callbackParams: null,
    callbackDestinationSealed: null,
    callbackOrigin: null,
    despatchProperties: remainingProperties(printJob.despatchProperties),
  }
}

type Report = Readonly<Record<string, unknown>>

/** Returns the report on a document without what the provider and operators wrote. */
export function withoutWords({
  reason: _,
  decisionReason: __,
  despatchProperties,
  ...others
}: Report): Report {
  const properties = remainingProperties(despatchProperties as DespatchProperty[] | undefined)
  return { ...others, ...(properties && { despatchProperties: properties }) }
}

function remainingProperties(properties: DespatchProperty[] | null | undefined) {
  const remaining = properties?.filter(({ key }) => remainingDespatchProperties.includes(key))
  return remaining?.length ? remaining : null
}

/** Columns of `event` and `job` for a timeline, as `redactedEvents` expects them. */
export const eventColumns = [
  'event.sequence',
  'event.transition',
  'event.status',
  'event.at',
  'event.actor',
  'event.reason',
  'event.findings',
  sql<string[] | null>`case when event.transition = 'submit' then job.unknown_members end`.as(
    'unknownMembers',
  ),
  isPurgeBegun.as('isPurged'),
] as const

type RedactedEvent = {
  transition: string
  reason: string | null
  findings: Finding[] | null
  unknownMembers: string[] | null
}

/** Returns timeline events without the text that people wrote, for print jobs whose purge has begun. */
export function redactedEvents<Event extends RedactedEvent>(
  rows: readonly (Event & { isPurged: boolean })[],
): Omit<Event, 'isPurged'>[] {
  return rows.map(({ isPurged, ...event }) =>
    isPurged
      ? {
          ...event,
          reason: remainingReason(event),
          findings: event.findings && remainingFindings(event.findings),
          unknownMembers: null,
        }
      : event,
  )
}
