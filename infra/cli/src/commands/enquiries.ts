import { enquiryOutcomes, enquiryServices } from '@despatch/domain/enquiry/audited-enquiry'
import { ask } from '../ask.ts'
import type { CommandContext } from '../command-context.ts'
import { wrongUsage } from '../failure.ts'
import { addingTo } from '../operation-command.ts'
import type { Parts } from '../program.ts'
import { renderRows } from '../table.ts'
import { oneOf, option, parseMoment, parseWholeNumber } from './option.ts'

const pageEnquiriesDefault = 50

export function addCommands(parts: Parts): void {
  const enquiries = parts.program
    .command('enquiries')
    .description('enquiries about vehicles and drivers')
  const add = addingTo(enquiries, parts)

  add({
    usage: 'list',
    operation: 'listEnquiries',
    route: 'POST /enquiries/search',
    does: 'lists enquiries, newest first',
    options: [
      option('--consumer <userName>', 'only by this consumer'),
      oneOf('--service <service>', 'only to this service', enquiryServices),
      oneOf('--outcome <outcome>', 'only with this outcome', enquiryOutcomes),
      option(
        '--from <time>',
        'inclusive start of the range, such as 2026-01-31T09:00:00Z',
        parseMoment,
      ),
      option('--to <time>', 'exclusive end of the range', parseMoment),
      option('--number <->', 'only about one registration or driving licence number'),
      option(
        '--limit <number>',
        'number of enquiries to list, at most 100',
        parseWholeNumber,
      ).default(pageEnquiriesDefault),
      option('--cursor <cursor>', 'cursor of the next page, from the previous response'),
    ],
    help: helpAboutNumbers,
    give: async ({ number, ...filters }: { number?: string }, context) => ({
      ...filters,
      ...(number !== undefined && fieldOf(await readNumber(number, context))),
    }),
    members: { consumer: 'userName' },
    text: ({ enquiries }) =>
      renderRows(enquiries, {
        at: 'at',
        by: ({ userName, consumerId }) => userName ?? consumerId,
        service: 'service',
        outcome: 'outcome',
        status: 'status',
        number: 'numberReference',
        results: 'results',
        purpose: 'purpose',
        asked: 'asked',
      }),
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
