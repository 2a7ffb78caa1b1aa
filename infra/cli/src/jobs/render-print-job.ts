import type {
  ListedPrintJobsResponse,
  PrintJobDetailsResponse,
} from '@despatch/contracts/administration/print-job'
import { otherParams } from '@despatch/domain/print-job/params'
import { renderFields, renderRows } from '../table.ts'

type FoundJob = ListedPrintJobsResponse['printJobs'][number]
type Event = Omit<PrintJobDetailsResponse['events'][number], 'actorUserName'> & {
  /** Sent to operators only. */
  actorUserName?: string | undefined
}

/** Without keys: a command takes an id too, and lists the keys if several consumers have used it. */
export function renderFoundJobs(jobs: readonly FoundJob[]): string {
  return renderRows(jobs, {
    id: 'id',
    recipient: 'recipientName',
    reference: 'businessIdentifier',
    status: 'status',
    submitted: 'createdAt',
    due: 'dueDate',
    consumer: 'userName',
    'print run': 'batchNumber',
    reason: reasonOf,
  })
}

/** Returns why a print job was rejected, or what prevents it from continuing. */
function reasonOf(job: FoundJob): string {
  return (job.status === 'REJECTED' && job.comment) || problemOf(job)
}

/** Returns what prevents a print job from continuing, or that it is deleted. */
function problemOf({ deletedAt, parkedAt, heldAt, failure, lateness }: Partial<FoundJob>): string {
  const found = [
    deletedAt !== undefined && 'deleted',
    parkedAt !== undefined && 'parked',
    heldAt !== undefined && 'held',
    failure !== undefined && `failing (${failure})`,
    lateness === 'at-risk' && 'at risk',
    lateness === 'overdue' && 'overdue',
  ].filter((text) => text !== false)
  return found.join(', ') || '-'
}

/** Renders the print job without its address, which only the document of --json contains. */
export function renderJobDetails(job: PrintJobDetailsResponse): string {
  const fields = renderFields({
    'print job': job.id,
    key: job.printJobKey,
    status: job.status,
    problem: problemOf(job),
    comment: job.comment,
    due: job.dueDate,
    consumer: `${job.userName} (${job.consumerId})`,
    kind: `${job.jobType}, ${job.templateReference}`,
    'business identifier': job.businessIdentifier,
    'despatch method': job.despatchMethod,
    ...otherParams(job.submittedParams),
    'produced as': job.producedAs,
    'not before': job.notBefore,
    'address corrected': job.addressOverriddenAt,
    'held since': job.heldAt,
    'held by': job.heldByUserName ?? job.heldBy,
    'hold reason': job.holdReason,
    'print run': job.batchNumber && `${job.batchNumber} (${job.runState ?? 'unknown'})`,
    document: job.documentId,
    'print location': job.printLocation,
    'serial number': job.serialNumber,
    'correlation id': job.correlationId,
    submitted: job.createdAt,
    changed: job.updatedAt,
    purged: job.purgedAt,
  })
  const parts = [fields, job.events.map(renderEvent).join('\n'), renderActions(job.actions)]
  return parts.filter(Boolean).join('\n\n')
}

/** Renders one line of a timeline. */
export function renderEvent(event: Event): string {
  const { at, transition, status, actor, actorUserName, reason } = event
  const why = reason === undefined ? '' : `: ${reason}`
  return `${at}  ${status.padEnd(10)}  ${transition} by ${actorUserName ?? actor}${why}`
}

function renderActions(actions: PrintJobDetailsResponse['actions']): string {
  return renderRows(actions, {
    action: 'action',
    possible: ({ isPossible, whyNot }) => (isPossible ? 'yes' : `no: ${whyNot ?? 'not now'}`),
  })
}
