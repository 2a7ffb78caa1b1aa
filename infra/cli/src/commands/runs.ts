import type {
  MovedRunResponse,
  MovePrintRunRequest,
  OverseenRunResponse,
  OverseenRunsResponse,
  RecallResultResponse,
  ShownRunResponse,
} from '@despatch/contracts/administration/print-run'
import type {
  AskedRecallResponse,
  AskedRecallsResponse,
} from '@despatch/contracts/administration/recall'
import type { Command } from 'commander'
import type { Run } from '../program.ts'
import { renderFields, renderTable } from '../table.ts'
import { addPageOptions, type PageOptions, queryOf } from './option.ts'

type MoveOptions = {
  provider: string
  location: string
  reason: string
  nothingPrinted?: true
}

/** The commands of print runs. */
export function addRunCommands(program: Command, run: Run): void {
  const runs = program.command('runs').description('print runs of all providers')

  addPageOptions(runs.command('list'))
    .description('lists print runs, the newest first')
    .option('--state <state>', 'only those in this state, such as OPEN or CLAIMED')
    .option('--provider <id>', 'only those of this print provider')
    .action(({ provider, ...options }: PageOptions & { state?: string; provider?: string }) =>
      run(async (session) => {
        const query = queryOf({ ...options, providerId: provider })
        const page = await session.send<OverseenRunsResponse>('GET', `/print-runs?${query}`)
        const more = page.nextCursor ? `\n\nOlder ones: --cursor ${page.nextCursor}` : ''
        return { document: page, text: `${renderRuns(page.printRuns)}${more}` }
      }),
    )

  runs
    .command('show <batchNumber>')
    .description('shows a print run with its account')
    .action((batchNumber: string) =>
      run(async (session) => {
        const shown = await session.send<ShownRunResponse>('GET', pathOf(batchNumber))
        return { document: shown, text: renderRun(shown) }
      }),
    )

  runs
    .command('release <batchNumber>')
    .description('has an open print run released at once instead of at its cut-off')
    .action((batchNumber: string) =>
      run(async (session) => {
        const path = `${pathOf(batchNumber)}/release`
        const shown = await session.send<ShownRunResponse>('POST', path)
        const what = shown.state === 'OPEN' ? 'is released within seconds' : `is ${shown.state}`
        return { document: shown, text: `Print run ${batchNumber} ${what}.` }
      }),
    )

  addMove(runs, run)
  addRecall(runs, run)
}

function addMove(runs: Command, run: Run): void {
  runs
    .command('move <batchNumber>')
    .description('has its documents printed elsewhere, in a fresh print run')
    .requiredOption('--provider <id>', 'print provider that prints them instead')
    .requiredOption('--location <name>', 'site of that provider')
    .requiredOption('--reason <text>', 'told on the timelines of the print jobs')
    .option(
      '--nothing-printed',
      'of a claimed print run: you know from its provider that nothing of it was or will be printed',
    )
    .action((batchNumber: string, options: MoveOptions) =>
      run(async (session) => {
        const { provider, location, reason, nothingPrinted } = options
        const body: MovePrintRunRequest = {
          providerId: provider,
          printLocation: location,
          reason,
          ...(nothingPrinted && { nothingPrinted }),
        }
        const path = `${pathOf(batchNumber)}/move`
        const moved = await session.send<MovedRunResponse>('POST', path, body)
        const count = documents(moved.documentCount)
        const text = `${count} of ${batchNumber} went on to ${moved.batchNumber} at ${moved.printLocation} of ${moved.providerId}.`
        return { document: moved, text }
      }),
    )
}

function addRecall(runs: Command, run: Run): void {
  runs
    .command('recall <batchNumber> [documentIds...]')
    .description('stops documents of a print run; with none named, all that have not left')
    .requiredOption('--reason <text>', 'told to the provider and to the consumers')
    .action((batchNumber: string, documentIds: string[], { reason }: { reason: string }) =>
      run(async (session) => {
        const body = { reason, ...(documentIds.length > 0 && { documentIds }) }
        const path = `${pathOf(batchNumber)}/recalls`
        const recalled = await session.send<RecallResultResponse>('POST', path, body)
        return { document: recalled, text: renderRecalled(recalled) }
      }),
    )

  addPageOptions(runs.command('recalls'))
    .description('lists what providers were asked to stop, the newest first')
    .option('--state <state>', 'only those in this state, such as OPEN')
    .action((options: PageOptions & { state?: string }) =>
      run(async (session) => {
        const path = `/recalls?${queryOf(options)}`
        const page = await session.send<AskedRecallsResponse>('GET', path)
        const more = page.nextCursor ? `\n\nOlder ones: --cursor ${page.nextCursor}` : ''
        return { document: page, text: `${renderRecalls(page.recalls)}${more}` }
      }),
    )
}

function pathOf(batchNumber: string): string {
  return `/print-runs/${encodeURIComponent(batchNumber)}`
}

function renderRuns(runs: readonly OverseenRunResponse[]): string {
  const header = ['print run', 'state', 'provider', 'site', 'stream', 'documents', 'due', 'opened']
  const rows = runs.map((run) => [
    run.batchNumber,
    run.state,
    run.providerId,
    run.printLocation,
    streamOf(run),
    String(run.documentCount),
    run.expectedDespatchDate ?? '-',
    run.openedAt,
  ])
  return renderTable(header, rows)
}

function streamOf(run: OverseenRunResponse): string {
  const { despatchMethod, stationery, format, plex, colour } = run
  return [despatchMethod, stationery, format, plex, colour ? 'colour' : 'mono'].join(' ')
}

function renderRun(run: ShownRunResponse): string {
  const fields = renderFields({
    'print run': run.batchNumber,
    state: run.state,
    at: `${run.printLocation} of ${run.providerId}`,
    stream: streamOf(run),
    'print epoch': String(run.printEpoch),
    documents: `${run.documentCount}, ${run.sheetCount} sheets, ${run.pageCount} pages, ${run.byteCount} bytes`,
    due: run.expectedDespatchDate,
    opened: run.openedAt,
    'cut-off': run.cutOffAt,
    'release asked': told(run.releaseAskedAt, run.releaseAskedBy),
    released: run.releasedAt,
    claimed: run.claimedAt,
    'lease until': run.leaseUntil,
    acknowledged: run.acknowledgedAt,
    refused: run.refusal,
    posted: run.postedAt,
    closed: told(run.closedAt, run.closedBy),
    voided: told(run.voidedAt, run.voidReason),
    'moved from': run.movedFrom,
    'moved to': run.movedTo,
    'manifest digest': run.manifestDigest,
    'reprints waiting': run.waitingReprintCount > 0 ? String(run.waitingReprintCount) : undefined,
  })
  return run.account ? `${fields}\n\n${renderAccount(run.account)}` : fields
}

function told(at: string | undefined, what: string | undefined): string | undefined {
  return at === undefined || what === undefined ? at : `${at} (${what})`
}

function renderAccount(account: NonNullable<ShownRunResponse['account']>): string {
  return renderTable(Object.keys(account), [Object.values(account).map(String)])
}

function renderRecalled({ batchNumber, recallId, documentCount }: RecallResultResponse): string {
  const what = `${documents(documentCount)} of ${batchNumber}`
  return recallId === undefined
    ? `${what} will not be printed, and the print jobs are rejected.`
    : `The provider is asked for ${what}, in the recall ${recallId}.`
}

function documents(count: number): string {
  return count === 1 ? '1 document' : `${count} documents`
}

function renderRecalls(recalls: readonly AskedRecallResponse[]): string {
  const header = [
    'recall',
    'state',
    'print run',
    'provider',
    'asked',
    'stopped',
    'too late',
    'at',
    'reason',
  ]
  const rows = recalls.map((recall) => [
    recall.recallId,
    recall.state,
    recall.batchNumber,
    recall.providerId,
    String(recall.documentCount),
    String(recall.recalledCount),
    String(recall.tooLateCount),
    recall.requestedAt,
    recall.reason,
  ])
  return renderTable(header, rows)
}
