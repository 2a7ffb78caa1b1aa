import { printJobFilters, printJobStatuses } from '@despatch/domain/print-job/status'
import { addressOf, type GivenAddress } from '../jobs/address-of.ts'
import { renderFoundJobs, renderJobDetails } from '../jobs/render-print-job.ts'
import { type Add, addingTo } from '../operation-command.ts'
import type { Parts } from '../program.ts'
import { addJobEvidence } from './job-evidence.ts'
import { needed, oneOf, option, pageOptions, parseDay, parseMoment, someOf } from './option.ts'
import { addRedriveParked } from './redrive-parked.ts'
import { addSubmitCsv } from './submit-csv.ts'
import { addSubmitJob } from './submit-job.ts'
import { addWatchJob } from './watch-job.ts'
/**
 * Adds the commands for letters: for a consumer, who submits and watches, and for an operator, who manages all of them.
 */
export function addCommands(parts: Parts): void {
  const jobs = parts.program.command('jobs').description('print jobs: letters to print and post')
  const add = addingTo(jobs, parts)

  add({
    usage: 'list [text]',
    operation: 'listPrintJobs',
    route: 'POST /print-jobs/search',
    does: 'finds print jobs by any identifier or text, and by filters',
    options: [
      ...pageOptions(),
      someOf('--status <status>', 'only in this status (repeatable)', printJobStatuses),
      option('--consumer <userName>', 'only for this consumer'),
      oneOf('--only <which>', 'only in this situation', printJobFilters),
      option('--rule <number>', 'only rejected for this preflight rule, such as P107'),
      option(
        '--from <time>',
        'accepted at this time or later, such as 2026-01-31T09:00:00Z',
        parseMoment,
      ),
      option('--to <time>', 'accepted before this time', parseMoment),
      option('--due-from <date>', 'due on this London date or later', parseDay),
      option('--due-to <date>', 'due on this London date or earlier', parseDay),
      oneOf('--order <order>', 'by time of acceptance', ['newest', 'oldest']),
    ],
    help: helpAboutFinding,
    give: ({ limit, ...given }) => ({ ...given, limit: Number(limit) }),
    members: { text: 'find', status: 'statuses', from: 'createdFrom', to: 'createdTo' },
    text: ({ printJobs }) => renderFoundJobs(printJobs),
    after: ({ isIndexing }) =>
      isIndexing
        ? 'Older letters are still being indexed and are not found by name yet.'
        : undefined,
  })
  add({
    usage: 'show <job>',
    operation: 'getPrintJobByKey',
    route: 'GET /print-jobs/:printJobKey',
    does: 'shows a print job with its timeline and the possible actions',
    text: renderJobDetails,
  })
  add({
    usage: 'hold <job>',
    operation: 'holdPrintJobByKey',
    text: ({ id }) => `Print job ${id} is held.`,
  })
  add({
    usage: 'release <job>',
    operation: 'releasePrintJobByKey',
    text: ({ id }) => `Print job ${id} is released.`,
  })
  add({
    usage: 'cancel <job>',
    operation: 'cancelPrintJob',
    agree: {
      describe: ({ job }) =>
        `This ends 1 print job, ${job}. This cannot be undone, and its id stays taken.`,
      question: 'Cancel it?',
      otherwise: 'nothing was cancelled',
    },
    text: ({ id }) => `Print job ${id} was cancelled.`,
  })
  add({
    usage: 'redrive <job>',
    operation: 'redrivePrintJob',
    text: ({ id }) => `Print job ${id} is retried.`,
  })
  addRedriveParked(jobs, parts)
  addOverrideAddress(add)
  addJobEvidence(jobs, parts)
  addSubmitJob(jobs, parts)
  addSubmitCsv(jobs, parts)
  addWatchJob(jobs, parts)
}

type OverrideOptions = GivenAddress & { job: string; name?: string; reason: string }

/** Adds the command by which an operator corrects the address of a letter. */
function addOverrideAddress(add: Add): void {
  add({
    usage: 'override-address <job>',
    operation: 'overrideAddress',
    options: [
      option('--name <name>', 'name of the recipient; unchanged if omitted'),
      needed('--line1 <text>', 'first address line; each line has at most 45 characters'),
      option('--line2 <text>', 'as it is printed'),
      option('--line3 <text>', 'as it is printed'),
      option('--line4 <text>', 'as it is printed'),
      option('--line5 <text>', 'post town'),
      option('--postcode <postcode>', 'postcode of an address in the United Kingdom'),
      option('--bfpo <number>', 'BFPO number of an address of the forces, with at most four lines'),
      option('--country <country>', 'country of an address abroad'),
    ],
    give: ({ job, name, reason, ...given }: OverrideOptions) => ({
      job,
      recipientName: name,
      address: addressOf(given),
      reason,
    }),
    text: ({ id }) => `Print job ${id} has the new address.`,
  })
}

const helpAboutFinding = `
The text is an id of a print job, a batch number, a document id or the id of a callback; otherwise a business
identifier, a correlation id, a full postcode, or words of the recipient or organisation name, with or without a full
postcode after them. A letter must have all the words. Shells keep what you type in their history.
Where a command requires a <job>, give its key or its id.`
