import type {
  ListedPrintJobsResponse,
  PrintJobDetailsResponse,
} from '@despatch/contracts/administration/print-job'
import { type BulkActionKind, bulkActionKinds } from '@despatch/domain/bulk-action/bulk-action'
import { actionPath } from '@despatch/domain/operator-action/operator-action'
import { printJobActions } from '@despatch/domain/operator-action/print-job-actions'
import { printJobFilters, printJobStatuses } from '@despatch/domain/print-job/status'
import type { Command } from 'commander'
import { type Agreement, addYesOption, refuseUnlessAgreed } from '../agree.ts'
import type { CommandContext } from '../command-context.ts'
import { findConsumer } from '../find-consumer.ts'
import { findPrintJobKey } from '../jobs/find-print-job-key.ts'
import { renderFoundJobs, renderJobDetails } from '../jobs/render-print-job.ts'
import type { Run, RunAsConsumer } from '../program.ts'
import { addActionCommand } from './action-command.ts'
import { addJobEvidence } from './job-evidence.ts'
import { addPageOptions, oneOf, type PageOptions, parseDay, parseMoment, someOf } from './option.ts'
import { addOverrideAddress } from './override-address.ts'
import { addRedriveParked } from './redrive-parked.ts'
import { addSubmitJob } from './submit-job.ts'
import { addWatchJob } from './watch-job.ts'

export type JobCommands = { run: Run; runAsConsumer: RunAsConsumer; context: CommandContext }

type ListOptions = PageOptions & {
  status?: string[]
  consumer?: string
  only?: string
  rule?: string
  from?: string
  to?: string
  dueFrom?: string
  dueTo?: string
  order?: string
}

const outcomes: Readonly<Record<BulkActionKind, string>> = {
  hold: 'is held',
  release: 'is released',
  cancel: 'was cancelled',
  redrive: 'is retried',
}

/**
 * Adds the commands for letters: for a consumer, who submits and watches, and for an operator, who manages all of them.
 */
export function addJobCommands(program: Command, commands: JobCommands): void {
  const { run, context } = commands
  const jobs = program.command('jobs').description('print jobs: letters to print and post')

  addPageOptions(jobs.command('list [text]'))
    .description('finds print jobs by any identifier or text, and by filters')
    .addOption(someOf('--status <status>', 'only in this status (repeatable)', printJobStatuses))
    .option('--consumer <userName>', 'only for this consumer')
    .addOption(oneOf('--only <which>', 'only in this situation', printJobFilters))
    .option('--rule <number>', 'only rejected for this preflight rule, such as P107')
    .option(
      '--from <time>',
      'accepted at this time or later, such as 2026-01-31T09:00:00Z',
      parseMoment,
    )
    .option('--to <time>', 'accepted before this time', parseMoment)
    .option('--due-from <date>', 'due on this London date or later', parseDay)
    .option('--due-to <date>', 'due on this London date or earlier', parseDay)
    .addOption(oneOf('--order <order>', 'by time of acceptance', ['newest', 'oldest']))
    .addHelpText('after', helpAboutFinding)
    .action((find: string | undefined, options: ListOptions) =>
      run(async (session) => {
        const {
          consumer,
          limit,
          status: statuses,
          from: createdFrom,
          to: createdTo,
          ...others
        } = options
        const consumerId =
          consumer === undefined ? undefined : (await findConsumer(session, consumer)).consumerId
        const filters = { find, consumerId, statuses, createdFrom, createdTo, ...others }
        const query = { ...filters, limit: Number(limit) }
        const page = await session.send<ListedPrintJobsResponse>(
          'POST',
          '/print-jobs/search',
          query,
        )
        const more = page.nextCursor ? `\n\nNext page: --cursor ${page.nextCursor}` : ''
        const unfinished = page.isIndexing
          ? '\n\nOlder letters are still being indexed and are not found by name yet.'
          : ''
        return { document: page, text: `${renderFoundJobs(page.printJobs)}${more}${unfinished}` }
      }),
    )

  jobs
    .command('show <job>')
    .description('shows a print job with its timeline and the possible actions')
    .action((job: string) =>
      run(async (session) => {
        const path = `/print-jobs/${await findPrintJobKey(session, job)}`
        const shown = await session.send<PrintJobDetailsResponse>('GET', path)
        return { document: shown, text: renderJobDetails(shown) }
      }),
    )

  for (const name of bulkActionKinds) {
    const action = printJobActions[name]
    const command = addActionCommand(jobs, `${name} <job>`, action)
    if (name === 'cancel') addYesOption(command)
    command.action((job: string, { reason, yes }: { reason: string; yes?: true }) =>
      run(async (session) => {
        const path = actionPath(action, await findPrintJobKey(session, job))
        const refusal =
          name === 'cancel' && (await refuseUnlessAgreed({ yes, ...cancelling(job) }, context))
        if (refusal) return refusal
        const shown = await session.send<PrintJobDetailsResponse>('POST', path, { reason })
        return { document: shown, text: `Print job ${shown.id} ${outcomes[name]}.` }
      }),
    )
  }

  addRedriveParked(jobs, run, context)
  addOverrideAddress(jobs, run)
  addJobEvidence(jobs, commands)
  addSubmitJob(jobs, commands)
  addWatchJob(jobs, commands)
}

function cancelling(job: string): Agreement {
  const text = `This ends 1 print job, ${job}. This cannot be undone, and its id stays taken.`
  return {
    describe: () => ({ document: { job }, text }),
    question: 'Cancel it?',
    otherwise: 'nothing was cancelled',
  }
}

const helpAboutFinding = `
The text is an id of a print job, a batch number, a document id or the id of a callback; otherwise a business
identifier, a correlation id, a full postcode, or words of the recipient or organisation name, with or without a full
postcode after them. A letter must have all the words. Shells keep what you type in their history.
Where a command requires a <job>, give its key or its id.`
