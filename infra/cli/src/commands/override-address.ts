import { addressOf, type GivenAddress } from '../jobs/address-of.ts'
import type { Add } from '../operation-command.ts'
import { needed, option } from './option.ts'

type Options = GivenAddress & { job: string; name?: string; reason: string }

/** Adds the command by which an operator corrects the address of a letter. */
export function addOverrideAddress(add: Add): void {
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
    give: ({ job, name, reason, ...given }: Options) => ({
      job,
      recipientName: name,
      address: addressOf(given),
      reason,
    }),
    text: ({ id }) => `Print job ${id} has the new address.`,
  })
}
