import { randomUUID } from 'node:crypto'
import type {
  PostedOnBehalfResponse,
  PostingCountResponse,
  PostOnBehalfRequest,
} from '@despatch/contracts/administration/posting-on-behalf'
import { actionPath } from '@despatch/domain/operator-action/operator-action'
import { printRunActions } from '@despatch/domain/operator-action/print-run-actions'
import type { Command } from 'commander'
import { addYesOption } from '../agree.ts'
import type { CommandContext } from '../command-context.ts'
import { countOf } from '../count-of.ts'
import type { Run } from '../program.ts'
import { addActionCommand } from './action-command.ts'
import { agreeOnCount } from './agree-on-count.ts'
import { parseMoment } from './option.ts'
import { chooseDocuments } from './print-run.ts'

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
        const choice = chooseDocuments(documentIds, options.all)
        const path = actionPath(post, batchNumber)
        const posting = postingOf(options)
        const { postingKey } = posting
        const { refusal, expected } = await agreeOnCount<PostingCountResponse>(
          session,
          {
            yes,
            path,
            choice: { postingKey, ...choice },
            describe: ({ documentCount }) =>
              `This records ${countOf(documentCount, 'document')} of ${batchNumber} as DESPATCHED. This cannot be undone.`,
            question: 'Record the posting?',
            otherwise: 'nothing was recorded',
          },
          context,
        )
        if (refusal) return refusal
        const posted = await session.send<PostedOnBehalfResponse>('POST', path, {
          ...posting,
          ...choice,
          ...expected,
        })
        return { document: posted, text: renderPosted(posted) }
      }),
    )
}

function postingOf({
  all: _,
  postingKey = randomUUID(),
  ...options
}: Omit<PostOptions, 'yes'>): PostOnBehalfRequest {
  return { postingKey, ...options }
}

function renderPosted(posted: PostedOnBehalfResponse): string {
  const { documentCount, batchNumber, postingId, providerId } = posted
  const what = `${countOf(documentCount, 'document')} of ${batchNumber}`
  return `${what} despatched on behalf of ${providerId} in posting ${postingId}.`
}
