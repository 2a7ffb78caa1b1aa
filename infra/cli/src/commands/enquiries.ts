import type {
  EnquiriesResponse,
  EnquiryResponse,
  SearchEnquiriesRequest,
} from '@despatch/contracts/administration/enquiry'
import { enquiryOutcomes, enquiryServices } from '@despatch/domain/enquiry/audited-enquiry'
import type { Command } from 'commander'
import { ask } from '../ask.ts'
import type { CommandContext } from '../command-context.ts'
import { wrongUsage } from '../failure.ts'
import type { Run } from '../program.ts'
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

export function addEnquiryCommands(program: Command, run: Run, context: CommandContext): void {
  program
    .command('enquiries')
    .description('enquiries about vehicles and drivers')
    .command('list')
    .description('lists enquiries, newest first')
    .option('--consumer <userName>', 'only by this consumer')
    .addOption(oneOf('--service <service>', 'only to this service', enquiryServices))
    .addOption(oneOf('--outcome <outcome>', 'only with this outcome', enquiryOutcomes))
    .option(
      '--from <time>',
      'inclusive start of the range, such as 2026-01-31T09:00:00Z',
      parseMoment,
    )
    .option('--to <time>', 'exclusive end of the range', parseMoment)
    .option('--number <->', 'only about one registration or driving licence number')
    .option(
      '--limit <number>',
      'number of enquiries to list, at most 100',
      parseWholeNumber,
      pageEnquiriesDefault,
    )
    .option('--cursor <cursor>', 'cursor of the next page, from the previous response')
    .addHelpText('after', helpAboutNumbers)
    .action(async ({ number, consumer, ...filters }: ListOptions) => {
      // Requested before signing in.
      const search = {
        ...filters,
        ...(consumer !== undefined && { userName: consumer }),
        ...(number !== undefined && fieldOf(await readNumber(number, context))),
      } as SearchEnquiriesRequest
      await run(async ({ send }) => {
        const page = await send<EnquiriesResponse>('POST', '/enquiries/search', search)
        const more = page.nextCursor ? `\n\nNext page: --cursor ${page.nextCursor}` : ''
        return { document: page, text: `${renderEnquiries(page.enquiries)}${more}` }
      })
    })
}

const helpAboutNumbers = `
--number takes - and nothing else: the command asks for the number, or reads it from standard input in a script. Every user
of the machine can see the arguments of a command, and the shell keeps them in its history, so never give a number there.
Numbers are stored as hashes. NUMBER in the list is the start of a hash: the same in all rows about one number.`

async function readNumber(source: string, context: CommandContext): Promise<string> {
  if (source !== '-') {
    throw wrongUsage('--number only accepts -, which reads the number from standard input')
  }
  const text = context.canAsk
    ? await ask(context, { message: 'Number', instead: 'it on standard input' })
    : await context.readInput()
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
