import { randomUUID } from 'node:crypto'
import type { PostingCountResponse } from '@despatch/contracts/administration/posting-on-behalf'
import { countOf } from '../count-of.ts'
import type { Add } from '../operation-command.ts'
import { chooseDocuments, counted, type Naming } from './document-choice.ts'
import { needed, option, parseMoment } from './option.ts'

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
