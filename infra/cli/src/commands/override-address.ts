import type {
  OverrideAddressRequest,
  PrintJobDetailsResponse,
} from '@despatch/contracts/administration/print-job'
import { actionPath } from '@despatch/domain/operator-action/operator-action'
import { printJobActions } from '@despatch/domain/operator-action/print-job-actions'
import type { Command } from 'commander'
import { addressOf, type GivenAddress } from '../jobs/address-of.ts'
import { findPrintJobKey } from '../jobs/find-print-job-key.ts'
import type { Run } from '../program.ts'
import { addActionCommand } from './action-command.ts'

type Options = GivenAddress & { name?: string; reason: string }

const { 'override-address': override } = printJobActions

/** Adds the command by which an operator corrects the address of a letter. */
export function addOverrideAddress(jobs: Command, run: Run): void {
  addActionCommand(jobs, 'override-address <job>', override)
    .option('--name <name>', 'name of the recipient; unchanged if omitted')
    .requiredOption('--line1 <text>', 'first address line; each line has at most 45 characters')
    .option('--line2 <text>', 'as it is printed')
    .option('--line3 <text>', 'as it is printed')
    .option('--line4 <text>', 'as it is printed')
    .option('--line5 <text>', 'post town')
    .option('--postcode <postcode>', 'postcode of an address in the United Kingdom')
    .option('--bfpo <number>', 'BFPO number of an address of the forces, with at most four lines')
    .option('--country <country>', 'country of an address abroad')
    .action((job: string, { name, reason, ...given }: Options) => {
      const address = addressOf(given)
      return run(async (session) => {
        const path = actionPath(override, await findPrintJobKey(session, job))
        const recipientName = name === undefined ? {} : { recipientName: name }
        const body: OverrideAddressRequest = { ...recipientName, address, reason }
        const shown = await session.send<PrintJobDetailsResponse>('POST', path, body)
        return { document: shown, text: `Print job ${shown.id} has the new address.` }
      })
    })
}
