import type {
  EnquiriesResponse,
  EnquiryResponse,
  SearchEnquiriesRequest,
} from '@despatch/contracts/administration/enquiry'
import { enquiryOutcomes, enquiryServices } from '@despatch/domain/enquiry/audited-enquiry'
import type { Command } from 'commander'
import { ask } from '../ask.ts'
import { wrongUsage } from '../failure.ts'
import type { Run } from '../program.ts'
import type { Surroundings } from '../surroundings.ts'
import { renderTable } from '../table.ts'
import { oneOf, parseMoment, parseWholeNumber } from './option.ts'

type ListOptions = {
  consumer?: string
  service?: string
  outcome?: string
  from?: string
  to?: string
  number?: string
  limit: number
  cursor?: string
}

const pageEnquiriesDefault = 50

export function addEnquiryCommands(program: Command, run: Run, surroundings: Surroundings): void {
  program
    .command('enquiries')
    .description('who asked for which vehicle or driver')
    .command('list')
    .description('lists enquiries, the newest first')
    .option('--consumer <userName>', 'only what this consumer asked')
    .addOption(oneOf('--service <service>', 'only those of this service', enquiryServices))
    .addOption(oneOf('--outcome <outcome>', 'only those that ended so', enquiryOutcomes))
    .option('--from <time>', 'first moment that counts, as in 2026-01-31T09:00:00Z', parseMoment)
    .option('--to <time>', 'first moment that does not count any more', parseMoment)
    .option('--number <->', 'only about one registration or driving licence number')
    .option(
      '--limit <number>',
      'enquiries to list, at most 100',
      parseWholeNumber,
      pageEnquiriesDefault,
    )
    .option('--cursor <cursor>', 'where the page before ended')
    .addHelpText('after', helpAboutNumbers)
    .action(async ({ number, consumer, ...filters }: ListOptions) => {
      // Requested before signing in.
      const search = {
        ...filters,
        ...(consumer !== undefined && { userName: consumer }),
        ...(number !== undefined && fieldOf(await readNumber(number, surroundings))),
      } as SearchEnquiriesRequest
      await run(async ({ send }) => {
        const page = await send<EnquiriesResponse>('POST', '/enquiries/search', search)
        const more = page.nextCursor ? `\n\nOlder ones: --cursor ${page.nextCursor}` : ''
        return { document: page, text: `${renderEnquiries(page.enquiries)}${more}` }
      })
    })
}

const helpAboutNumbers = `
--number takes - and nothing else: the number is asked for, or read from standard input in a script. Arguments of a
command are seen by every user of the machine and kept in the history of the shell, so no number belongs there.
Numbers are kept as hashes. NUMBER in the list is the beginning of one: the same in all rows about one number.`

async function readNumber(source: string, surroundings: Surroundings): Promise<string> {
  if (source !== '-') {
    throw wrongUsage('--number takes - alone: the number is read from standard input')
  }
  const text = surroundings.canAsk
    ? await ask(surroundings, { message: 'Number', instead: 'it on standard input' })
    : await surroundings.readInput()
  const number = text.replaceAll(/\s/g, '')
  if (number === '') throw wrongUsage('Number is missing: give it on standard input')
  return number
}

const registrationNumberCharactersMax = 8

/** No registration number is as long as a driving licence number. */
function fieldOf(number: string) {
  return number.length > registrationNumberCharactersMax
    ? { drivingLicenceNumber: number }
    : { registrationNumber: number }
}

function renderEnquiries(enquiries: readonly EnquiryResponse[]): string {
  const header = [
    'at',
    'by',
    'service',
    'outcome',
    'status',
    'number',
    'results',
    'purpose',
    'asked',
  ]
  const rows = enquiries.map((enquiry) => [
    enquiry.at,
    enquiry.userName ?? enquiry.consumerId,
    enquiry.service,
    enquiry.outcome,
    String(enquiry.status),
    enquiry.numberReference ?? '-',
    enquiry.results === undefined ? '-' : String(enquiry.results),
    enquiry.purpose ?? '-',
    enquiry.asked.length > 0 ? enquiry.asked.join(' ') : '-',
  ])
  return renderTable(header, rows)
}
