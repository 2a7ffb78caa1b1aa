import type {
  PrintRunDetailsResponse,
  PrintRunSummaryResponse,
  ReassignCountResponse,
  ReassignedRunResponse,
} from '@despatch/contracts/administration/print-run'
import { printRunStates } from '@despatch/domain/print-run/state'
import { countOf } from '../count-of.ts'
import { Failure } from '../failure.ts'
import { type Add, addingTo, type Call, type Described, sendCall } from '../operation-command.ts'
import type { Parts } from '../program.ts'
import { renderFields, renderRows, renderTable } from '../table.ts'
import { needed, oneOf, option, pageOptions } from './option.ts'
import { addPost, addRecallCommands, counted } from './run-documents.ts'

/** Adds the commands for print runs. */
export function addCommands(parts: Parts): void {
  const runs = parts.program.command('runs').description('print runs of all providers')
  const add = addingTo(runs, parts)

  add({
    usage: 'list',
    operation: 'listPrintRuns',
    route: 'GET /print-runs',
    does: 'lists print runs, newest first',
    options: [
      ...pageOptions(),
      oneOf('--state <state>', 'only in this state', printRunStates),
      option('--provider <id>', 'only of this print provider'),
    ],
    text: ({ printRuns }) =>
      renderRows(printRuns, {
        'print run': 'batchNumber',
        state: 'state',
        provider: 'providerId',
        site: 'printLocation',
        stream: streamOf,
        documents: 'documentCount',
        due: 'expectedDespatchDate',
        opened: 'openedAt',
      }),
  })
  add({
    usage: 'show <batchNumber>',
    operation: 'getPrintRun',
    route: 'GET /print-runs/:batchNumber',
    does: 'shows a print run with its reconciliation',
    text: renderRun,
  })
  add({
    usage: 'release <batchNumber>',
    operation: 'releasePrintRun',
    text: ({ batchNumber, state }) =>
      `Print run ${batchNumber} ${state === 'OPEN' ? 'is released within seconds' : `is ${state}`}.`,
  })
  addReassign(add)
  addRecallCommands(add)
  addPost(add)
  add({
    usage: 'close <batchNumber>',
    operation: 'closePrintRunOnBehalf',
    agree: { describe: describeClosing, question: 'Close it?', otherwise: 'nothing was closed' },
    text: renderRun,
  })
}

async function describeClosing(
  { batchNumber }: { batchNumber: string },
  { session }: Call,
): Promise<Described> {
  const path = `/print-runs/${encodeURIComponent(batchNumber)}`
  const open = await session.send<PrintRunDetailsResponse>('GET', path)
  const text = `${renderRun(open)}\n\nThis closes ${batchNumber} with ${countOf(open.documentCount, 'document')}. This cannot be undone.`
  return { document: open, text }
}

function addReassign(add: Add): void {
  add({
    usage: 'move <batchNumber>',
    operation: 'reassignPrintRun',
    options: [
      needed('--provider <id>', 'print provider to reassign them to'),
      needed('--location <name>', 'site of that provider'),
      option(
        '--nothing-printed',
        'for a claimed print run: its provider has confirmed that none of it was or will be printed',
      ),
    ],
    members: { location: 'printLocation' },
    agree: {
      // only for a run of which something may be printed already
      isNeeded: ({ nothingPrinted }) => nothingPrinted === true,
      describe: counted(
        [],
        ({ batchNumber, documentCount }: ReassignCountResponse) =>
          `This reassigns ${countOf(documentCount, 'document')} of ${batchNumber}. Whatever was printed is printed twice.`,
      ),
      question: 'Reassign them?',
      otherwise: 'nothing was reassigned',
    },
    send: (call, { batchNumber }: { batchNumber: string }) =>
      sendCall<ReassignedRunResponse>(call).catch((error: unknown) => {
        throw needsConfirmation(error) ? nothingPrintedIsMissing(batchNumber, error) : error
      }),
    text: ({ documentCount, movedFrom, batchNumber, printLocation, providerId }) =>
      `${countOf(documentCount, 'document')} of ${movedFrom} reassigned to ${batchNumber} at ${printLocation} of ${providerId}.`,
  })
}

function needsConfirmation(error: unknown): boolean {
  return error instanceof Failure && error.titles.includes('nothingPrinted')
}

function nothingPrintedIsMissing(batchNumber: string, cause: unknown): Failure {
  return new Failure(
    `Print run ${batchNumber} is claimed. Give --nothing-printed if the provider has confirmed that none of it was or will be printed`,
    { exitCode: 1, cause },
  )
}

function streamOf(run: PrintRunSummaryResponse): string {
  const { despatchMethod, stationery, format, plex, colour } = run
  return [despatchMethod, stationery, format, plex, colour ? 'colour' : 'mono'].join(' ')
}

function renderRun(run: PrintRunDetailsResponse): string {
  const fields = renderFields({
    'print run': run.batchNumber,
    state: run.state,
    at: `${run.printLocation} of ${run.providerId}`,
    stream: streamOf(run),
    'print epoch': run.printEpoch,
    documents: `${run.documentCount}, ${countOf(run.sheetCount, 'sheet')}, ${countOf(run.pageCount, 'page')}, ${countOf(run.byteCount, 'byte')}`,
    due: run.expectedDespatchDate,
    opened: run.openedAt,
    'cut-off': run.cutOffAt,
    'release requested': withDetail(
      run.releaseAskedAt,
      run.releaseAskedByUserName ?? run.releaseAskedBy,
    ),
    'release began': run.releaseBeganAt,
    'release failed': failedRelease(run),
    released: run.releasedAt,
    claimed: run.claimedAt,
    'lease until': run.leaseUntil,
    acknowledged: run.acknowledgedAt,
    refused: run.refusal,
    posted: run.postedAt,
    closed: withDetail(run.closedAt, run.closedByUserName ?? run.closedBy),
    voided: withDetail(run.voidedAt, run.voidReason),
    'moved from': run.movedFrom,
    'moved to': run.movedTo,
    'manifest digest': run.manifestDigest,
    'reprints waiting': run.waitingReprintCount || undefined,
  })
  return run.account ? `${fields}\n\n${renderReconciliation(run.account)}` : fields
}

function failedRelease(run: PrintRunDetailsResponse): string | undefined {
  const { releaseFailureCount, releaseTriedAt, releaseFault } = run
  if (releaseFailureCount === undefined) return undefined
  return `${countOf(releaseFailureCount, 'time')}, last ${withDetail(releaseTriedAt, releaseFault)}`
}

function withDetail(at: string | undefined, what: string | undefined): string | undefined {
  return at === undefined || what === undefined ? at : `${at} (${what})`
}

function renderReconciliation(account: NonNullable<PrintRunDetailsResponse['account']>): string {
  return renderTable(Object.keys(account), [Object.values(account).map(String)])
}
