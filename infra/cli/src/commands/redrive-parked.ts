import type {
  ParkedPrintJobsResponse,
  RedrivenResponse,
} from '@despatch/contracts/administration/parked-operations'
import { actionPath } from '@despatch/domain/operator-action/operator-action'
import { redriveParked } from '@despatch/domain/operator-action/print-job-actions'
import type { Command } from 'commander'
import { refuseUnlessAgreed } from '../agree.ts'
import { countOf } from '../count-of.ts'
import { addActionCommand } from '../operation.ts'
import type { Parts } from '../program.ts'
import type { Session } from '../session.ts'
import { renderRows } from '../table.ts'

type RedriveOptions = { reason: string; yes?: true; dryRun?: true }

/** Adds `jobs redrive-parked`: redrives every print job that an outage parked, after showing the count. */
export function addRedriveParked(jobs: Command, { run, context }: Parts): void {
  addActionCommand(jobs, 'redrive-parked', redriveParked)
    .option('--dry-run', 'only show the count')
    .option('--yes', 'redrive without asking for confirmation')
    .addHelpText('after', helpAboutRedriving)
    .action(({ reason, yes, dryRun }: RedriveOptions) =>
      run(async (session) => {
        const parked = await session.send<ParkedPrintJobsResponse>('GET', '/parked-print-jobs')
        const output = { document: parked, text: renderParked(parked) }
        if (dryRun || parked.count === 0) return output
        const question = 'Redrive them?'
        const agreement = {
          yes,
          describe: () => output,
          question,
          otherwise: 'nothing was redriven',
        }
        const refusal = await refuseUnlessAgreed(agreement, context)
        if (refusal) return refusal
        const done = await redriveAll(session, reason)
        const left =
          done.left === 0
            ? ''
            : ` ${countOf(done.left, 'print job is', 'print jobs are')} still parked.`
        return { document: done, text: `${countOf(done.redriven, 'print job')} redriven.${left}` }
      }),
    )
}

/**
 * Each response contains the number left. A response that redrives none ends the loop: other transactions have locked
 * the rest, or they were parked again.
 */
async function redriveAll(session: Session, reason: string): Promise<RedrivenResponse> {
  let redriven = 0
  for (;;) {
    const path = actionPath(redriveParked)
    const answer = await session.send<RedrivenResponse>('POST', path, { reason })
    redriven += answer.redriven
    if (answer.left === 0 || answer.redriven === 0) return { redriven, left: answer.left }
  }
}

function renderParked({ count, failures }: ParkedPrintJobsResponse): string {
  const parked = `Parked by an outage: ${countOf(count, 'print job')}.`
  if (failures.length === 0) return parked
  const table = renderRows(failures, {
    failure: 'failure',
    parked: 'count',
    outage: ({ isOutage }) => (isOutage ? 'yes' : 'no'),
  })
  return `${table}\n\n${parked}`
}

const helpAboutRedriving = `
An outage is a fault of the database, the object store or the network, by the class of the last failure. Print jobs that were parked by
another fault stay parked. The command shows the count and asks for confirmation. Without a terminal it requires --yes; otherwise
it redrives nothing and exits with 2. It can be interrupted and repeated. Print jobs become due about 100 per second.`
