import type { PrintJobRequest } from '@despatch/client/print-job'
import { type Command, InvalidArgumentError } from 'commander'
import type { LetterRow } from '../csv-letters/letter-columns.ts'
import type { Parts } from '../program.ts'
import { option } from './option.ts'
import { addLetterOptions, type LetterOptions, requestOf } from './submit-job.ts'

type CsvOptions = LetterOptions & {
  mailing?: string
  skipRefused?: true
  changed?: true
  dryRun?: true
  quiet?: true
}

/** Adds the command by which a consumer submits a letter for each row of a spreadsheet. */
export function addSubmitCsv(jobs: Command, { runAsConsumer, context }: Parts): void {
  const command = jobs
    .command('submit-csv <file>')
    .description('as a consumer: submits each row of a CSV file as a letter, once')
  addLetterOptions(command)
    .addOption(
      option(
        '--mailing <name>',
        'sends a file again, or another of the same name, as a further mailing',
        parseMailing,
      ),
    )
    .option('--skip-refused', 'submit the other rows if some are refused; by default nothing is')
    .option('--changed', 'submit rows that have changed since as further letters')
    .option('--dry-run', 'only check the rows; exits with 1 if one would be refused')
    .option('--quiet', 'do not show progress')
    .addHelpText('after', helpAboutFile)
    .action((path: string, options: CsvOptions) =>
      runAsConsumer(async (session) => {
        // other commands of this noun are shorter without it
        const { submitLetters } = await import('../csv-letters/submit-letters.ts')
        return submitLetters(
          await session.openClient(),
          {
            path,
            mailing: options.mailing,
            requestOf: (row) => requestOfRow(options, row),
            isDryRun: options.dryRun ?? false,
            skipsRefused: options.skipRefused ?? false,
            takesChanged: options.changed ?? false,
            isQuiet: options.quiet ?? command.optsWithGlobals().json ?? false,
          },
          context,
        )
      }),
    )
}

const helpAboutFile = `
The header names the columns: recipientName, businessIdentifier, despatchMethod, handlingInstruction.line1 to line7, the
columns of the address (line1 to line5 with postcode, bfpoNumber or country; or the members of a structuredAddress, such
as postTown), and param.NAME for each custom parameter. Any other column is refused. An empty cell is left out.

All rows are checked before the first is submitted. Each result is in <file without .csv>.results.csv, with the row as in
a spreadsheet (the header is row 1), the id of the print job, the status and why. Keep this file: after an interruption or
a correction, the same command submits only rows that are not accepted yet. It contains no names.

Ends with 0 when every row is submitted, 3 when some were refused and others submitted, 1 when nothing was submitted or
there was no response, 2 when the command or the file is wrong, 130 when it was interrupted.`

/** Returns the request of a row. Its JSON decides the row's id, so the order of its members must not change. */
export function requestOfRow(options: CsvOptions, row: LetterRow): PrintJobRequest {
  const { businessIdentifier, despatchMethod, customParams, ...recipient } = row
  const method = despatchMethod ?? options.method
  const given = {
    ...options,
    ...(businessIdentifier !== undefined && { businessIdentifier }),
    ...(method !== undefined && { method }),
  }
  return requestOf(given, recipient, { ...(customParams && { customParams }) }) as PrintJobRequest
}

function parseMailing(text: string): string {
  if (/^[A-Za-z0-9_-]{1,64}$/.test(text)) return text
  throw new InvalidArgumentError('It must have 1 to 64 letters, digits, - or _.')
}
