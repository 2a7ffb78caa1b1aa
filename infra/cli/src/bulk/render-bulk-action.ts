import type {
  BulkActionDetailsResponse,
  BulkActionResponse,
} from '@despatch/contracts/administration/bulk-action'
import { type Columns, renderFields, renderRows } from '../table.ts'

export function renderBulkActions(bulkActions: readonly BulkActionResponse[]): string {
  return renderRows(bulkActions, {
    'bulk action': 'bulkActionId',
    action: 'action',
    'print jobs': 'printJobCount',
    state: 'state',
    done: ({ progress }) => progress.done,
    planned: 'plannedAt',
    by: 'plannedBy',
    reason: 'reason',
  })
}

/** With a line for each print job of the page. */
export function renderBulkActionDetails(bulk: BulkActionDetailsResponse): string {
  const fields = renderFields({
    'bulk action': bulk.bulkActionId,
    action: bulk.action,
    reason: bulk.reason,
    filters: bulk.matching && renderFilters(bulk.matching),
    state: bulk.state,
    'print jobs': bulk.printJobCount,
    'possible now': bulk.possibleCount,
    planned: `${bulk.plannedAt} by ${bulk.plannedBy}`,
    'second person': bulk.needsSecondPerson ? 'must confirm' : bulk.secondPersonOff,
    'confirm before': bulk.expiresAt,
    confirmed: bulk.confirmedAt && `${bulk.confirmedAt} by ${bulk.confirmedBy}`,
    stopped: bulk.stoppedAt && `${bulk.stoppedAt} by ${bulk.stoppedBy}`,
    ended: bulk.endedAt,
    digest: bulk.digest,
    progress: renderProgress(bulk),
  })
  const columns = {
    'print job': 'printJobId',
    key: 'printJobKey',
    consumer: 'userName',
    status: 'status',
    outcome: outcomeOf,
    'why not': 'whyNot',
  } satisfies Columns<BulkActionDetailsResponse['items'][number]>
  const more = bulk.nextCursor
    ? `\n\nMore print jobs: despatch bulk show ${bulk.bulkActionId} --cursor ${bulk.nextCursor}`
    : ''
  return `${fields}\n\n${renderRows(bulk.items, columns, 'No print jobs.')}${more}`
}

function renderFilters(filters: NonNullable<BulkActionResponse['matching']>): string {
  const texts = Object.entries(filters).map(([name, value]) =>
    name === 'hasText' ? 'a text' : `${name} ${value}`,
  )
  return texts.join(', ')
}

/** Returns the progress of its print jobs on one line. */
export function renderProgress({
  progress: { done, refused, absent, notBegun, left, failing },
}: BulkActionResponse): string {
  const others = [
    refused > 0 && `${refused} refused`,
    absent > 0 && `${absent} absent`,
    notBegun > 0 && `${notBegun} not started`,
    left > 0 && `${left} left`,
    failing > 0 && `of these ${failing} failing`,
  ].filter((text) => text !== false)
  return [`${done} done`, ...others].join(', ')
}

function outcomeOf({ outcome, isPossible, failure }: BulkActionDetailsResponse['items'][number]) {
  if (outcome !== undefined) return outcome
  if (isPossible !== undefined) return isPossible ? 'possible' : 'not possible'
  return failure === undefined ? 'to do' : `failing (${failure})`
}
