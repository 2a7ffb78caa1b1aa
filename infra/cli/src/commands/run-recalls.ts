import type { RecallResultResponse } from '@despatch/contracts/administration/print-run'
import type {
  RecallResponse,
  RecallsResponse,
  SettleRecallRequest,
} from '@despatch/contracts/administration/recall'
import { recallStates } from '@despatch/contracts/print-fulfilment/recall'
import { actionPath } from '@despatch/domain/operator-action/operator-action'
import { printRunActions, settleRecall } from '@despatch/domain/operator-action/print-run-actions'
import type { Command } from 'commander'
import type { Run } from '../program.ts'
import { renderTable } from '../table.ts'
import { addActionCommand } from './action-command.ts'
import { addPageOptions, oneOf, type PageOptions, queryOf } from './option.ts'
import { countDocuments } from './print-run.ts'

const { recall } = printRunActions

/** Adds the commands for recalls. */
export function addRecallCommands(runs: Command, run: Run): void {
  addActionCommand(runs, 'recall <batchNumber> [documentIds...]', recall).action(
    (batchNumber: string, documentIds: string[], { reason }: { reason: string }) =>
      run(async (session) => {
        const body = { reason, ...(documentIds.length > 0 && { documentIds }) }
        const path = actionPath(recall, batchNumber)
        const recalled = await session.send<RecallResultResponse>('POST', path, body)
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

  addActionCommand(runs, 'settle-recall <recallId>', settleRecall)
    .option('--too-late <documentId...>', 'documents that have already left')
    .action((recallId: string, { tooLate, note }: SettleRecallRequest) =>
      run(async (session) => {
        const body: SettleRecallRequest = { note, ...(tooLate && { tooLate }) }
        const path = actionPath(settleRecall, recallId)
        const settled = await session.send<RecallResponse>('POST', path, body)
        return { document: settled, text: renderSettled(settled) }
      }),
    )
}

function renderRecalled({ batchNumber, recallId, documentCount }: RecallResultResponse): string {
  const what = `${countDocuments(documentCount)} of ${batchNumber}`
  return recallId === undefined
    ? `${what} will not be printed, and the print jobs are rejected.`
    : `The provider is asked to stop ${what}, in recall ${recallId}.`
}

function renderSettled(recall: RecallResponse): string {
  const { recallId, state, batchNumber, recalledCount, tooLateCount } = recall
  const stopped = `${countDocuments(recalledCount)} of ${batchNumber} stopped, ${tooLateCount} too late`
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
