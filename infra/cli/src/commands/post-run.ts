import { randomUUID } from 'node:crypto'
import type {
  PostedOnBehalfResponse,
  PostOnBehalfRequest,
} from '@despatch/contracts/administration/posting-on-behalf'
import type { PrintRunDetailsResponse } from '@despatch/contracts/administration/print-run'
import { actionPath } from '@despatch/domain/operator-action/operator-action'
import { printRunActions } from '@despatch/domain/operator-action/print-run-actions'
import type { Command } from 'commander'
import { addYesOption, refuseUnlessAgreed } from '../agree.ts'
import type { CommandContext } from '../command-context.ts'
import type { CommandOutput, Run } from '../program.ts'
import type { Session } from '../session.ts'
import { addActionCommand } from './action-command.ts'
import { parseMoment } from './option.ts'
import { chooseDocuments, countDocuments, printRunPath } from './print-run.ts'

const { post } = printRunActions

type PostOptions = {
  all?: true
  carrier: string
  handoverAt: string
  manifestNumber?: string
  reason: string
  postingKey?: string
  yes?: true
}

/** Adds the command for letters that have left without a report of their provider. */
export function addPost(runs: Command, run: Run, context: CommandContext): void {
  addYesOption(addActionCommand(runs, 'post <batchNumber> [documentIds...]', post))
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
    .action((batchNumber: string, documentIds: string[], { yes, ...options }: PostOptions) =>
      run(async (session) => {
        const body = postingOf(documentIds, options)
        const refusal = await refuseUnlessAgreed(
          {
            yes,
            describe: () => describePosting(session, batchNumber, documentIds),
            question: 'Record the posting?',
            otherwise: 'nothing was recorded',
          },
          context,
        )
        if (refusal) return refusal
        const path = actionPath(post, batchNumber)
        const posted = await session.send<PostedOnBehalfResponse>('POST', path, body)
        return { document: posted, text: renderPosted(posted) }
      }),
    )
}

/** Counts the documents that the command names, or those that are missing if it names none. */
async function describePosting(
  { send }: Session,
  batchNumber: string,
  documentIds: readonly string[],
): Promise<CommandOutput> {
  const printRun = await send<PrintRunDetailsResponse>('GET', printRunPath(batchNumber))
  const documentCount = new Set(documentIds).size || (printRun.account?.missing ?? 0)
  const what = `${countDocuments(documentCount)} of ${batchNumber}`
  const text = `This records ${what} as DESPATCHED. This cannot be undone.`
  return { document: { batchNumber, documentCount }, text }
}

function postingOf(
  documentIds: string[],
  { all, postingKey = randomUUID(), ...options }: PostOptions,
): PostOnBehalfRequest {
  return { postingKey, ...options, ...chooseDocuments(documentIds, all) }
}

function renderPosted(posted: PostedOnBehalfResponse): string {
  const { documentCount, batchNumber, postingId, providerId } = posted
  const what = `${countDocuments(documentCount)} of ${batchNumber}`
  return `${what} despatched on behalf of ${providerId} in posting ${postingId}.`
}
