import { randomUUID } from 'node:crypto'
import type { PostingCountResponse } from '@despatch/contracts/administration/posting-on-behalf'
import type { RecallCountResponse } from '@despatch/contracts/administration/print-run'
import type { SettlementCountResponse } from '@despatch/contracts/administration/recall'
import { recallStates } from '@despatch/domain/print-run/state'
import { countOf } from '../count-of.ts'
import { wrongUsage } from '../failure.ts'
import { type Add, type Call, type Described, sendCall } from '../operation-command.ts'
import { renderRows } from '../table.ts'
import { needed, oneOf, option, pageOptions, parseMoment } from './option.ts'

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

/** Adds the command for letters that have left without a report of their provider. */
export function addPost(add: Add): void {
  add({
    usage: 'post <batchNumber> [documentIds...]',
    operation: 'postOnBehalf',
    options: [
      option('--all', 'all documents of the print run that are missing, instead of naming them'),
      needed('--carrier <name>', 'carrier that took the post'),
      needed(
        '--handover-at <time>',
        'time of the handover, such as 2026-01-31T17:30:00Z',
        parseMoment,
      ),
      option('--manifest-number <number>', "number of the carrier's manifest or receipt"),
      option(
        '--posting-key <uuid>',
        'idempotency key: a repeat returns the same result; a new one if omitted',
      ),
    ],
    give: (given: Naming) => ({ postingKey: randomUUID(), ...chooseDocuments(given) }),
    agree: {
      describe: counted(
        ['postingKey', 'documentIds', 'all'],
        ({ batchNumber, documentCount }: PostingCountResponse) =>
          `This records ${countOf(documentCount, 'document')} of ${batchNumber} as DESPATCHED.`,
      ),
      question: 'Record the posting?',
      otherwise: 'nothing was recorded',
    },
    text: ({ documentCount, batchNumber, providerId, postingId }) =>
      `${countOf(documentCount, 'document')} of ${batchNumber} despatched on behalf of ${providerId} in posting ${postingId}.`,
  })
}

type Counted = { documentCount: number }

/**
 * Returns how a command describes documents that the server counts, at `/count` below the path of the operation, by
 * these members of its request. Once agreed, the request has the count, and the operation refuses more documents. With
 * `--yes` nothing is counted or expected.
 */
export function counted<Count extends Counted>(
  members: readonly string[],
  describe: (counted: Count) => string,
) {
  return async (_: object, call: Call): Promise<Described> => {
    const choice = Object.entries(call.members).filter(([name]) => members.includes(name))
    const request = { ...call, path: `${call.path}/count`, members: Object.fromEntries(choice) }
    const document = await sendCall<Count>(request)
    return {
      document,
      text: `${describe(document)} This cannot be undone.`,
      agreed: { expectedCount: document.documentCount },
    }
  }
}

/** Returns what a command gives, with the documents that it names, or all. Throws a Failure unless it is exactly one. */
function chooseDocuments({ documentIds, ...given }: Naming) {
  if (documentIds.length > 0 === (given.all === true)) {
    throw wrongUsage('name the documents, or give --all')
  }
  return given.all ? given : { ...given, documentIds }
}

/** The arguments and options of a command that names documents. */
type Naming = Readonly<Record<string, unknown>> & { documentIds: string[]; all?: true }
