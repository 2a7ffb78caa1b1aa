import type {
  IssuedSerialNumbersResponse,
  SerialAccountsResponse,
} from '@despatch/contracts/administration/serial-stock'
import type { Command } from 'commander'
import { addYesOption, refuseUnlessAgreed } from '../agree.ts'
import type { CommandContext } from '../command-context.ts'
import { countOf } from '../count-of.ts'
import { wrongUsage } from '../failure.ts'
import type { Run } from '../program.ts'
import { renderTable } from '../table.ts'
import { forRoles } from './for-roles.ts'
import { parseWholeNumber, queryOf } from './option.ts'

type RangeOptions = { prefix?: string; first?: number; last?: number; digits?: number; yes?: true }

/** Adds the commands for numbered stock. */
export function addStockCommands(program: Command, run: Run, context: CommandContext): void {
  const stock = program.command('stock').description('numbered stock, such as licence cards')

  addYesOption(stock.command('issue <providerId> <jobType> [serialNumbers...]'))
    .description(
      forRoles(
        'issueSerialNumbers',
        'records numbered stock issued to a provider, as single numbers or a range',
      ),
    )
    .option('--prefix <text>', 'prefix of all numbers of the range')
    .option('--first <number>', 'first number of the range', parseWholeNumber)
    .option('--last <number>', 'last number of the range', parseWholeNumber)
    .option('--digits <number>', 'digits of each number, padded with zeros', parseWholeNumber)
    .action(
      async (
        providerId: string,
        jobType: string,
        numbers: string[],
        { yes, ...range }: RangeOptions,
      ) => {
        const body = { providerId, jobType, ...numbersOf(numbers, range) }
        await run(async (session) => {
          const describe = () => describeIssue(body)
          const agreement = {
            yes,
            describe,
            question: 'Issue them?',
            otherwise: 'nothing was issued',
          }
          const refusal = await refuseUnlessAgreed(agreement, context)
          if (refusal) return refusal
          const issued = await session.send<IssuedSerialNumbersResponse>(
            'POST',
            '/serial-stock',
            body,
          )
          const account = renderAccounts([{ providerId, jobType, ...issued.account }])
          const text = `${countOf(issued.added, 'number')} added to the stock of ${providerId}.\n\n${account}`
          return { document: issued, text }
        })
      },
    )

  stock
    .command('show')
    .description('shows the issued stock and its use')
    .option('--provider <id>', 'only of this print provider')
    .option('--job-type <type>', 'only of this job type')
    .action(({ provider, jobType }: { provider?: string; jobType?: string }) =>
      run(async (session) => {
        const path = `/serial-stock?${queryOf({ providerId: provider, jobType })}`
        const { accounts } = await session.send<SerialAccountsResponse>('GET', path)
        return { document: { accounts }, text: renderAccounts(accounts) }
      }),
    )
}

type Issue = { providerId: string; jobType: string } & ReturnType<typeof numbersOf>

function describeIssue({ providerId, jobType, ...numbers }: Issue) {
  const count = numbers.serialNumbers
    ? new Set(numbers.serialNumbers).size
    : numbers.range.last - numbers.range.first + 1
  const text = `This adds ${countOf(count, 'number')} to the stock of ${jobType} of ${providerId}. This cannot be undone.`
  return { document: { providerId, jobType, count }, text }
}

function numbersOf(serialNumbers: readonly string[], options: RangeOptions) {
  const { prefix, first, last, digits } = options
  if (serialNumbers.length > 0) return { serialNumbers }
  if (first === undefined || last === undefined) {
    throw wrongUsage(
      'Serial numbers are missing: give them as arguments, or use --first and --last',
    )
  }
  const range = { first, last, digits: digits ?? String(last).length }
  return { range: { ...range, ...(prefix !== undefined && { prefix }) } }
}

function renderAccounts(accounts: SerialAccountsResponse['accounts']): string {
  const header = ['provider', 'job type', 'issued', 'used', 'spoiled', 'in stock']
  const rows = accounts.map((account) => [
    account.providerId,
    account.jobType,
    ...[account.issued, account.used, account.spoiled, account.inStock].map(String),
  ])
  return renderTable(header, rows)
}
