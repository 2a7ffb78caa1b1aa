import { randomUUID } from 'node:crypto'
import type {
  PostedOnBehalfResponse,
  PostOnBehalfRequest,
} from '@despatch/contracts/administration/posting-on-behalf'
import type { Command } from 'commander'
import { wrongUsage } from '../failure.ts'
import type { Run } from '../program.ts'
import { parseMoment } from './option.ts'
import { countDocuments, printRunPath } from './print-run.ts'

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
  runs
    .command('post <batchNumber> [documentIds...]')
    .description(
      'records on behalf of the provider that documents were posted: they are DESPATCHED',
    )
    .option('--all', 'all documents of the print run that are missing, instead of naming them')
    .requiredOption('--carrier <name>', 'carrier that took the post')
    .requiredOption(
      '--handover-at <time>',
      'time of the handover, such as 2026-01-31T17:30:00Z',
      parseMoment,
    )
    .option('--manifest-number <number>', "number of the carrier's manifest or receipt")
    .requiredOption(
      '--reason <text>',
      'evidence of the posting, shown in the timelines of the print jobs',
    )
    .option(
      '--posting-key <uuid>',
      'idempotency key: a repeat returns the same result; a new one if omitted',
    )
    .action((batchNumber: string, documentIds: string[], options: PostOptions) =>
      run(async (session) => {
        const body = postingOf(documentIds, options)
        const path = `${printRunPath(batchNumber)}/postings`
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
