import type {
  PrintRunDetailsResponse,
  PrintRunSummariesResponse,
  PrintRunSummaryResponse,
  ReassignCountResponse,
  ReassignedRunResponse,
  ReassignPrintRunRequest,
} from '@despatch/contracts/administration/print-run'
import { actionPath } from '@despatch/domain/operator-action/operator-action'
import { printRunActions } from '@despatch/domain/operator-action/print-run-actions'
import { printRunStates } from '@despatch/domain/print-run/state'
import type { Command } from 'commander'
import { addYesOption, refuseUnlessAgreed } from '../agree.ts'
import type { CommandContext } from '../command-context.ts'
import { countOf } from '../count-of.ts'
import { Failure } from '../failure.ts'
import type { CommandOutput, Run } from '../program.ts'
import type { Session } from '../session.ts'
import { renderFields, renderTable } from '../table.ts'
import { addActionCommand } from './action-command.ts'
import { agreeOnCount } from './agree-on-count.ts'
import { addPageOptions, oneOf, type PageOptions, queryOf } from './option.ts'
import { addPost } from './post-run.ts'
import { printRunPath } from './print-run.ts'
import { addRecallCommands } from './run-recalls.ts'

const { release, move, close } = printRunActions

type MoveOptions = {
  provider: string
  location: string
  reason: string
  nothingPrinted?: true
  yes?: true
}

/** Adds the commands for print runs. */
export function addRunCommands(program: Command, run: Run, context: CommandContext): void {
  const runs = program.command('runs').description('print runs of all providers')

  addPageOptions(runs.command('list'))
    .description('lists print runs, newest first')
    .addOption(oneOf('--state <state>', 'only in this state', printRunStates))
    .option('--provider <id>', 'only of this print provider')
    .action(({ provider, ...options }: PageOptions & { state?: string; provider?: string }) =>
      run(async (session) => {
        const query = queryOf({ ...options, providerId: provider })
        const page = await session.send<PrintRunSummariesResponse>('GET', `/print-runs?${query}`)
        const more = page.nextCursor ? `\n\nNext page: --cursor ${page.nextCursor}` : ''
        return { document: page, text: `${renderRuns(page.printRuns)}${more}` }
      }),
    )

  runs
    .command('show <batchNumber>')
    .description('shows a print run with its reconciliation')
    .action((batchNumber: string) =>
      run(async (session) => {
        const shown = await session.send<PrintRunDetailsResponse>('GET', printRunPath(batchNumber))
        return { document: shown, text: renderRun(shown) }
      }),
    )

  addActionCommand(runs, 'release <batchNumber>', release).action((batchNumber: string) =>
    run(async (session) => {
      const path = actionPath(release, batchNumber)
      const shown = await session.send<PrintRunDetailsResponse>('POST', path)
      const what = shown.state === 'OPEN' ? 'is released within seconds' : `is ${shown.state}`
      return { document: shown, text: `Print run ${batchNumber} ${what}.` }
    }),
  )

  addReassign(runs, run, context)
  addRecallCommands(runs, run, context)
  addPost(runs, run, context)

  addYesOption(addActionCommand(runs, 'close <batchNumber>', close)).action(
    (batchNumber: string, { note, yes }: { note: string; yes?: true }) =>
      run(async (session) => {
        const refusal = await refuseUnlessAgreed(
          { yes, describe: () => describeClosing(session, batchNumber), ...closing },
          context,
        )
        if (refusal) return refusal
        const path = actionPath(close, batchNumber)
        const shown = await session.send<PrintRunDetailsResponse>('POST', path, { note })
        return { document: shown, text: renderRun(shown) }
      }),
  )
}

const closing = { question: 'Close it?', otherwise: 'nothing was closed' }

async function describeClosing({ send }: Session, batchNumber: string): Promise<CommandOutput> {
  const open = await send<PrintRunDetailsResponse>('GET', printRunPath(batchNumber))
  const text = `${renderRun(open)}\n\nThis closes ${batchNumber} with ${countOf(open.documentCount, 'document')}. This cannot be undone.`
  return { document: open, text }
}

function addReassign(runs: Command, run: Run, context: CommandContext): void {
  addYesOption(addActionCommand(runs, 'move <batchNumber>', move))
    .requiredOption('--provider <id>', 'print provider to reassign them to')
    .requiredOption('--location <name>', 'site of that provider')
    .option(
      '--nothing-printed',
      'for a claimed print run: its provider has confirmed that none of it was or will be printed',
    )
    .action((batchNumber: string, options: MoveOptions) =>
      run(async (session) => {
        const { provider, location, reason, nothingPrinted, yes } = options
        const path = actionPath(move, batchNumber)
        const { refusal, expected } = nothingPrinted
          ? await agreeOnCount(session, { yes, path, ...reassigning }, context)
          : {}
        if (refusal) return refusal
        const body: ReassignPrintRunRequest = {
          providerId: provider,
          printLocation: location,
          reason,
          ...(nothingPrinted && { nothingPrinted }),
          ...expected,
        }
        const moved = await session
          .send<ReassignedRunResponse>('POST', path, body)
          .catch((error: unknown) => {
            throw needsConfirmation(error) ? nothingPrintedIsMissing(batchNumber, error) : error
          })
        const count = countOf(moved.documentCount, 'document')
        const text = `${count} of ${batchNumber} reassigned to ${moved.batchNumber} at ${moved.printLocation} of ${moved.providerId}.`
        return { document: moved, text }
      }),
    )
}

/** Asked only for a run of which something may be printed already. */
const reassigning = {
  question: 'Reassign them?',
  otherwise: 'nothing was reassigned',
  describe: ({ batchNumber, documentCount }: ReassignCountResponse) =>
    `This reassigns ${countOf(documentCount, 'document')} of ${batchNumber}. Whatever was printed is printed twice. This cannot be undone.`,
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

function renderRuns(runs: readonly PrintRunSummaryResponse[]): string {
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
    'print epoch': String(run.printEpoch),
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
    'reprints waiting': run.waitingReprintCount > 0 ? String(run.waitingReprintCount) : undefined,
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
