import type {
  RecallCountResponse,
  RecallResultResponse,
} from '@despatch/contracts/administration/print-run'
import type {
  RecallResponse,
  RecallsResponse,
  SettlementCountResponse,
  SettleRecallRequest,
} from '@despatch/contracts/administration/recall'
import { actionPath } from '@despatch/domain/operator-action/operator-action'
import { printRunActions, settleRecall } from '@despatch/domain/operator-action/print-run-actions'
import { recallStates } from '@despatch/domain/print-run/state'
import type { Command } from 'commander'
import { addYesOption } from '../agree.ts'
import type { CommandContext } from '../command-context.ts'
import { countOf } from '../count-of.ts'
import { wrongUsage } from '../failure.ts'
import type { Run } from '../program.ts'
import { renderTable } from '../table.ts'
import { addActionCommand } from './action-command.ts'
import { agreeOnCount } from './agree-on-count.ts'
import { addPageOptions, oneOf, type PageOptions, queryOf } from './option.ts'
import { chooseDocuments } from './print-run.ts'

const { recall } = printRunActions
const notUndone = 'This cannot be undone.'

type RecallOptions = { all?: true; reason: string; yes?: true }
type SettleOptions = SettleRecallRequest & { yes?: true }

/** Adds the commands for recalls. */
export function addRecallCommands(runs: Command, run: Run, context: CommandContext): void {
  addYesOption(addActionCommand(runs, 'recall <batchNumber> [documentIds...]', recall))
    .option('--all', 'all documents that are not accounted for, instead of naming them')
    .action((batchNumber: string, documentIds: string[], options: RecallOptions) =>
      run(async (session) => {
        const { yes, all, reason } = options
        const choice = chooseDocuments(documentIds, all)
        const path = actionPath(recall, batchNumber)
        const { refusal, expected } = await agreeOnCount<RecallCountResponse>(
          session,
          {
            yes,
            path,
            choice,
            describe: ({ documentCount }) =>
              `This recalls ${countOf(documentCount, 'document')} of ${batchNumber}. ${notUndone}`,
            question: 'Recall them?',
            otherwise: 'nothing was recalled',
          },
          context,
        )
        if (refusal) return refusal
        const recalled = await session.send<RecallResultResponse>('POST', path, {
          reason,
          ...choice,
          ...expected,
        })
        return { document: recalled, text: renderRecalled(recalled) }
      }),
    )

  addPageOptions(runs.command('recalls'))
    .description('lists recalls, newest first')
    .addOption(oneOf('--state <state>', 'only in this state', recallStates))
    .action((options: PageOptions & { state?: string }) =>
      run(async (session) => {
        const path = `/recalls?${queryOf(options)}`
        const page = await session.send<RecallsResponse>('GET', path)
        const more = page.nextCursor ? `\n\nNext page: --cursor ${page.nextCursor}` : ''
        return { document: page, text: `${renderRecalls(page.recalls)}${more}` }
      }),
    )

  addYesOption(addActionCommand(runs, 'settle-recall <recallId>', settleRecall))
    .option('--too-late <documentId...>', 'documents that have already left')
    .option('--all-stopped', 'none of the documents has left, instead of naming those that have')
    .action((recallId: string, { yes, note, ...choice }: SettleOptions) =>
      run(async (session) => {
        if ((choice.tooLate === undefined) === (choice.allStopped === undefined)) {
          throw wrongUsage(
            'name the documents that have left with --too-late, or give --all-stopped',
          )
        }
        const path = actionPath(settleRecall, recallId)
        const { refusal, expected } = await agreeOnCount<SettlementCountResponse>(
          session,
          {
            yes,
            path,
            choice,
            describe: describeSettling,
            question: 'Settle the recall?',
            otherwise: 'nothing was settled',
          },
          context,
        )
        if (refusal) return refusal
        const settled = await session.send<RecallResponse>('POST', path, {
          note,
          ...choice,
          ...expected,
        })
        return { document: settled, text: renderSettled(settled) }
      }),
    )
}

function describeSettling(counted: SettlementCountResponse): string {
  const { batchNumber, documentCount, tooLateCount } = counted
  const stopped = `${countOf(documentCount, 'document')} of ${batchNumber}`
  const areTooLate = `${countOf(tooLateCount, 'is', 'are')} too late`
  return `This recalls ${stopped} and rejects the print jobs. ${areTooLate}. ${notUndone}`
}

function renderRecalled({ batchNumber, recallId, documentCount }: RecallResultResponse): string {
  const what = `${countOf(documentCount, 'document')} of ${batchNumber}`
  return recallId === undefined
    ? `${what} will not be printed, and the print jobs are rejected.`
    : `The provider is asked to stop ${what}, in recall ${recallId}.`
}

function renderSettled(recall: RecallResponse): string {
  const { recallId, state, batchNumber, recalledCount, tooLateCount } = recall
  const stopped = `${countOf(recalledCount, 'document')} of ${batchNumber} stopped, ${tooLateCount} too late`
  return `Recall ${recallId} is ${state}: ${stopped}.`
}

function renderRecalls(recalls: readonly RecallResponse[]): string {
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
