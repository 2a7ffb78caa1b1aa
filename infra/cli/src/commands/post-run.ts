import { randomUUID } from 'node:crypto'
import type {
  PostedOnBehalfResponse,
  PostOnBehalfRequest,
} from '@despatch/contracts/administration/posting-on-behalf'
import { actionPath } from '@despatch/domain/operator-action/operator-action'
import { printRunActions } from '@despatch/domain/operator-action/print-run-actions'
import type { Command } from 'commander'
import { wrongUsage } from '../failure.ts'
import type { Run } from '../program.ts'
import { addActionCommand } from './action-command.ts'
import { parseMoment } from './option.ts'
import { countDocuments } from './print-run.ts'

const { post } = printRunActions

type PostOptions = {
  all?: true
  carrier: string
  handoverAt: string
  manifestNumber?: string
  reason: string
  postingKey?: string
}

/** Adds the command for letters that have left without a report of their provider. */
export function addPost(runs: Command, run: Run): void {
  addActionCommand(runs, 'post <batchNumber> [documentIds...]', post)
    .option('--all', 'all documents of the print run that are missing, instead of naming them')
    .requiredOption('--carrier <name>', 'carrier that took the post')
    .requiredOption(
      '--handover-at <time>',
      'time of the handover, such as 2026-01-31T17:30:00Z',
      parseMoment,
    )
    .option('--manifest-number <number>', "number of the carrier's manifest or receipt")
    .option(
      '--posting-key <uuid>',
      'idempotency key: a repeat returns the same result; a new one if omitted',
    )
    .action((batchNumber: string, documentIds: string[], options: PostOptions) =>
      run(async (session) => {
        const body = postingOf(documentIds, options)
        const path = actionPath(post, batchNumber)
        const posted = await session.send<PostedOnBehalfResponse>('POST', path, body)
        return { document: posted, text: renderPosted(posted) }
      }),
    )
}

function postingOf(
  documentIds: string[],
  { all, postingKey = randomUUID(), ...options }: PostOptions,
): PostOnBehalfRequest {
  if (documentIds.length > 0 === (all === true)) {
    throw wrongUsage('name the posted documents, or give --all')
  }
  return { postingKey, ...options, ...(all ? { all } : { documentIds }) }
}

function renderPosted(posted: PostedOnBehalfResponse): string {
  const { documentCount, batchNumber, postingId, providerId } = posted
  const what = `${countDocuments(documentCount)} of ${batchNumber}`
  return `${what} despatched on behalf of ${providerId} in posting ${postingId}.`
}
