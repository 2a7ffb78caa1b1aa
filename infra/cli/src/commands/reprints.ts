import { reprintStates } from '@despatch/domain/print-run/state'
import { addingTo } from '../operation-command.ts'
import type { Parts } from '../program.ts'
import { renderRows } from '../table.ts'
import { oneOf, pageOptions } from './option.ts'

/** Adds the commands of the second person, who decides on reprints. */
export function addCommands(parts: Parts): void {
  const reprints = parts.program
    .command('reprints')
    .description('documents that providers ask to print again')
  const add = addingTo(reprints, parts)

  add({
    usage: 'list',
    operation: 'listReprints',
    route: 'GET /reprints',
    does: 'lists reprints that await a decision',
    options: [
      ...pageOptions(),
      oneOf('--state <state>', 'in this state', reprintStates).default('WAITING'),
    ],
    text: ({ reprints }) =>
      renderRows(reprints, {
        reprint: 'reprintId',
        state: 'state',
        'print run': 'batchNumber',
        document: 'documentId',
        attempt: 'attempt',
        provider: 'providerId',
        reason: ({ reasonCode, reason }) =>
          reason === undefined ? reasonCode : `${reasonCode}: ${reason}`,
        asked: 'requestedAt',
        by: 'requestedBy',
      }),
    after: ({ secondPersonOff }) => secondPersonOff,
  })

  for (const decision of [authorising, refusing]) {
    add({
      ...decision,
      text: ({ documentId, batchNumber, attempt, state }) =>
        `Attempt ${attempt} at ${documentId} of ${batchNumber} is ${state}.`,
    })
  }
}

const authorising = {
  usage: 'authorise <reprintId>',
  operation: 'authoriseReprint',
  agree: {
    describe: ({ reprintId }: { reprintId: string }) =>
      `This authorises reprint ${reprintId}: 1 document is printed again. This cannot be undone.`,
    question: 'Authorise it?',
    otherwise: 'nothing was authorised',
  },
} as const

const refusing = {
  usage: 'refuse <reprintId>',
  operation: 'refuseReprint',
  agree: {
    describe: ({ reprintId }: { reprintId: string }) =>
      `This refuses reprint ${reprintId} and rejects 1 print job. This cannot be undone.`,
    question: 'Refuse it?',
    otherwise: 'nothing was refused',
  },
} as const
