import { countOf } from '../count-of.ts'
import { wrongUsage } from '../failure.ts'
import { addingTo, type Call } from '../operation-command.ts'
import type { Parts } from '../program.ts'
import { renderRows } from '../table.ts'
import { option, parseWholeNumber } from './option.ts'

/** Adds the commands for numbered stock. */
export function addCommands(parts: Parts): void {
  const stock = parts.program.command('stock').description('numbered stock, such as licence cards')
  const add = addingTo(stock, parts)

  add({
    usage: 'issue <providerId> <jobType> [serialNumbers...]',
    operation: 'issueSerialNumbers',
    route: 'POST /serial-stock',
    does: 'records numbered stock issued to a provider, as single numbers or a range',
    options: [
      option('--prefix <text>', 'prefix of all numbers of the range'),
      option('--first <number>', 'first number of the range', parseWholeNumber),
      option('--last <number>', 'last number of the range', parseWholeNumber),
      option('--digits <number>', 'digits of each number, padded with zeros', parseWholeNumber),
    ],
    give: issueOf,
    agree: { describe: describeIssue, question: 'Issue them?', otherwise: 'nothing was issued' },
    text: ({ providerId, jobType, added, account }) =>
      `${countOf(added, 'number')} added to the stock of ${providerId}.\n\n${renderAccounts([{ providerId, jobType, ...account }])}`,
  })
  add({
    usage: 'show',
    operation: 'listSerialStock',
    route: 'GET /serial-stock',
    does: 'shows the issued stock and its use',
    options: [
      option('--provider <id>', 'only of this print provider'),
      option('--job-type <type>', 'only of this job type'),
    ],
    text: ({ accounts }) => renderAccounts(accounts),
  })
}

type Of = { providerId: string; jobType: string }
type Range = { prefix?: string; first?: number; last?: number; digits?: number }
type Issue = { serialNumbers: string[] } | { range: Range & { first: number; last: number } }

function issueOf({
  providerId,
  jobType,
  serialNumbers,
  ...range
}: Of & Range & { serialNumbers: string[] }): Of & Issue {
  const { first, last, digits } = range
  if (serialNumbers.length > 0) return { providerId, jobType, serialNumbers }
  if (first === undefined || last === undefined) {
    throw wrongUsage(
      'Serial numbers are missing: give them as arguments, or use --first and --last',
    )
  }
  return {
    providerId,
    jobType,
    range: { ...range, first, last, digits: digits ?? String(last).length },
  }
}

function describeIssue({ providerId, jobType }: Of, { members }: Call) {
  const issue = members as Issue
  const count =
    'range' in issue ? issue.range.last - issue.range.first + 1 : new Set(issue.serialNumbers).size
  const text = `This adds ${countOf(count, 'number')} to the stock of ${jobType} of ${providerId}. This cannot be undone.`
  return { document: { providerId, jobType, count }, text }
}

type Account = Of & { issued: number; used: number; spoiled: number; inStock: number }

function renderAccounts(accounts: readonly Account[]): string {
  return renderRows(accounts, {
    provider: 'providerId',
    'job type': 'jobType',
    issued: 'issued',
    used: 'used',
    spoiled: 'spoiled',
    'in stock': 'inStock',
  })
}
