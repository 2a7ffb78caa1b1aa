import type { RecallCountResponse } from '@despatch/contracts/administration/print-run'
import type { SettlementCountResponse } from '@despatch/contracts/administration/recall'
import { recallStates } from '@despatch/domain/print-run/state'
import { countOf } from '../count-of.ts'
import { wrongUsage } from '../failure.ts'
import type { Add } from '../operation-command.ts'
import { renderRows } from '../table.ts'
import { chooseDocuments, counted } from './document-choice.ts'
import { oneOf, option, pageOptions } from './option.ts'

/** Adds the commands for recalls. */
export function addRecallCommands(add: Add): void {
  add({
    usage: 'recall <batchNumber> [documentIds...]',
    operation: 'recallPrintRun',
    options: [option('--all', 'all documents that are not accounted for, instead of naming them')],
    give: chooseDocuments,
    agree: {
      describe: counted(
        ['documentIds', 'all'],
        ({ batchNumber, documentCount }: RecallCountResponse) =>
          `This recalls ${countOf(documentCount, 'document')} of ${batchNumber}.`,
      ),
      question: 'Recall them?',
      otherwise: 'nothing was recalled',
    },
    text: ({ batchNumber, recallId, documentCount }) => {
      const what = `${countOf(documentCount, 'document')} of ${batchNumber}`
      return recallId === undefined
        ? `${what} will not be printed, and the print jobs are rejected.`
        : `The provider is asked to stop ${what}, in recall ${recallId}.`
    },
  })
  add({
    usage: 'recalls',
    operation: 'listRecalls',
    route: 'GET /recalls',
    does: 'lists recalls, newest first',
    options: [...pageOptions(), oneOf('--state <state>', 'only in this state', recallStates)],
    text: ({ recalls }) =>
      renderRows(recalls, {
        recall: 'recallId',
        state: 'state',
        'print run': 'batchNumber',
        provider: 'providerId',
        asked: 'documentCount',
        stopped: 'recalledCount',
        'too late': 'tooLateCount',
        at: 'requestedAt',
        reason: 'reason',
      }),
  })
  add({
    usage: 'settle-recall <recallId>',
    operation: 'settleRecall',
    options: [
      option('--too-late <documentId...>', 'documents that have already left'),
      option('--all-stopped', 'none of the documents has left, instead of naming those that have'),
    ],
    give: (given) => {
      if ((given.tooLate === undefined) === (given.allStopped === undefined)) {
        throw wrongUsage('name the documents that have left with --too-late, or give --all-stopped')
      }
      return given
    },
    agree: {
      describe: counted(['tooLate', 'allStopped'], describeSettling),
      question: 'Settle the recall?',
      otherwise: 'nothing was settled',
    },
    text: ({ recallId, state, batchNumber, recalledCount, tooLateCount }) =>
      `Recall ${recallId} is ${state}: ${countOf(recalledCount, 'document')} of ${batchNumber} stopped, ${tooLateCount} too late.`,
  })
}

function describeSettling(counted: SettlementCountResponse): string {
  const { batchNumber, documentCount, tooLateCount } = counted
  const stopped = `${countOf(documentCount, 'document')} of ${batchNumber}`
  const areTooLate = `${countOf(tooLateCount, 'is', 'are')} too late`
  return `This recalls ${stopped} and rejects the print jobs. ${areTooLate}.`
}
