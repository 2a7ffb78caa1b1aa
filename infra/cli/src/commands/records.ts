import type {
  RecordSetResponse,
  RecordSetsResponse,
} from '@despatch/contracts/administration/record-set'
import type { RecordKind } from '@despatch/contracts/records/record-kinds'
import { londonDateOf } from '@despatch/domain/calendar/london'
import type { Command, Option } from 'commander'
import { type Agreement, addYesOption, refuseUnlessAgreed } from '../agree.ts'
import type { CommandContext } from '../command-context.ts'
import { countOf } from '../count-of.ts'
import { Failure } from '../failure.ts'
import { forRoles } from '../operation.ts'
import { addingTo } from '../operation-command.ts'
import type { Parts, Run } from '../program.ts'
import { type GenerateOptions, generateRecords } from '../records/generate-records.ts'
import { importRecords } from '../records/import-records.ts'
import {
  parseRejectsMax,
  type RejectsMax,
  rejectsMaxDefault,
  renderRejectsMax,
} from '../records/rejects-max.ts'
import type { SourceFormat } from '../records/source-file.ts'
import type { Session } from '../session.ts'
import { renderRows } from '../table.ts'
import { oneOf, parseDay, parsePercent, parseWholeNumber, queryOf } from './option.ts'

const setsMax = 100

type ImportFlags = {
  format?: SourceFormat
  update?: boolean
  rejects?: string
  rejectsMax: RejectsMax
}

/** Adds the commands for drivers and for vehicles, which are the same. */
export function addCommands(parts: Parts): void {
  const { program, run, context } = parts
  const isQuiet = () => program.opts<{ json?: boolean }>().json ?? false
  for (const kind of ['driver', 'vehicle'] as const) {
    const records = program
      .command(`${kind}s`)
      .description(`the ${kind}s for enquiries, in complete sets`)
    addImport(records, { kind, run, context, isQuiet })
    const add = addingTo(records, parts)
    add({
      usage: 'sets',
      operation: 'listRecordSets',
      route: 'GET /record-sets',
      does: 'lists sets, newest first',
      give: () => ({ kind, limit: setsMax }),
      text: ({ recordSets }) => renderSets(recordSets),
    })
    addRollback(records, kind, run)
    addAbandon(records, { kind, run, context })
    addGenerate(records, kind, context)
  }
}

type Importing = {
  kind: RecordKind
  run: Run
  context: CommandContext
  isQuiet(): boolean
}

function addImport(records: Command, { kind, run, context, isQuiet }: Importing): void {
  records
    .command('import <file>')
    .description(
      forRoles(
        'beginRecordSet',
        `loads ${kind}s into a new set, which replaces the current one once all are read`,
      ),
    )
    .addOption(formatOption('default: by the file name extension'))
    .option('--update', 'merge them into the current set; by default they replace it')
    .option('--rejects <file>', 'file for rejected rows; default: <file>.rejects.csv')
    .option(
      '--rejects-max <number or percentage>',
      `publish nothing if more rows are rejected; default: ${renderRejectsMax(rejectsMaxDefault)}`,
      parseRejectsMax,
      rejectsMaxDefault,
    )
    .addHelpText('after', helpAboutImports)
    .action((path: string, flags: ImportFlags) =>
      run((session) =>
        importRecords(
          session,
          {
            kind,
            path,
            format: flags.format,
            isUpdate: flags.update ?? false,
            rejectsPath: flags.rejects,
            rejectsMax: flags.rejectsMax,
            isQuiet: isQuiet(),
          },
          context,
        ),
      ),
    )
}

const helpAboutImports = `
After an interruption, the same command resumes where it stopped. Enquiries use the previous set until the new set is
published as a whole. The file of rejects contains personal data: only you can read it.

Ends with 0 when all rows were taken, 3 when some were rejected and the others are published, 1 when nothing was
published, 2 when the command or the file is wrong, 130 when it was interrupted.`

function addRollback(records: Command, kind: RecordKind, run: Run): void {
  records
    .command('rollback')
    .description(
      forRoles(
        'makeRecordSetCurrent',
        'makes the previous set current; a second rollback reverts this',
      ),
    )
    .action(() =>
      run(async (session) => {
        const { recordSets } = await listSets(session, kind)
        const [former] = recordSets
          .filter(({ state }) => state === 'RETIRED')
          .toSorted((one, other) => ((one.endedAt ?? '') < (other.endedAt ?? '') ? 1 : -1))
        if (!former) throw new Failure(`there is no earlier set of ${kind}s`, { exitCode: 1 })
        const set = await session.send<RecordSetResponse>(
          'POST',
          `/record-sets/${former.recordSetId}/make-current`,
        )
        const text = `Record set ${set.recordSetId} is current again: ${countOf(set.recordCount ?? 0, kind)}.`
        return { document: set, text }
      }),
    )
}

function addAbandon(
  records: Command,
  { kind, run, context }: Pick<Importing, 'kind' | 'run' | 'context'>,
): void {
  addYesOption(
    records
      .command('abandon')
      .description(forRoles('abandonRecordSet', 'abandons the unfinished import')),
  ).action(({ yes }: { yes?: true }) =>
    run(async (session) => {
      const { recordSets } = await listSets(session, kind)
      const unfinished = recordSets.find(
        ({ state }) => state === 'LOADING' || state === 'PUBLISHING',
      )
      if (!unfinished) throw new Failure(`no import of ${kind}s is unfinished`, { exitCode: 1 })
      const refusal = await refuseUnlessAgreed({ yes, ...abandoning(unfinished) }, context)
      if (refusal) return refusal
      const path = `/record-sets/${unfinished.recordSetId}/abandon`
      const set = await session.send<RecordSetResponse>('POST', path)
      const text = `Record set ${set.recordSetId} was abandoned after ${countOf(set.rowsRead, 'row')}.`
      return { document: set, text }
    }),
  )
}

function abandoning(set: RecordSetResponse): Agreement {
  const text = `This drops ${countOf(set.rowsRead, 'row')} of record set ${set.recordSetId}. This cannot be undone.`
  return {
    describe: () => ({ document: set, text }),
    question: 'Abandon it?',
    otherwise: 'nothing was abandoned',
  }
}

type GenerateFlags = {
  out?: string
  format?: SourceFormat
  seed: number
  today: string
  images?: number
}

function addGenerate(records: Command, kind: RecordKind, context: CommandContext): void {
  const command = records
    .command('generate')
    .argument('<count>', `number of ${kind}s`, parseWholeNumber)
    .description(`writes made-up ${kind}s for trials; requires no running Despatch`)
    .option('--out <file>', 'output file; default: standard output')
    .addOption(formatOption('default: by the extension of --out, or ndjson'))
    .option('--seed <number>', 'seed of the random data', parseWholeNumber, 1)
    .option('--today <date>', 'day from which dates are calculated', parseDay, today())
  if (kind === 'driver') {
    command.option('--images <percent>', 'percentage of drivers with a photograph', parsePercent, 0)
  }
  command.action(async (count: number, flags: GenerateFlags) => {
    const { out, seed, today, images: imagePercent = 0 } = flags
    const options: GenerateOptions = {
      kind,
      count,
      seed,
      today,
      imagePercent,
      format: flags.format ?? (out?.toLowerCase().endsWith('.csv') ? 'csv' : 'ndjson'),
    }
    await generateRecords(options, out === undefined ? context : { path: out })
  })
}

function formatOption(otherwise: string): Option {
  return oneOf('--format <format>', `format of the file; ${otherwise}`, ['csv', 'ndjson'])
}

function today(): string {
  return londonDateOf(new Date())
}

function listSets({ send }: Session, kind: RecordKind): Promise<RecordSetsResponse> {
  return send('GET', `/record-sets?${queryOf({ kind, limit: setsMax })}`)
}

function renderSets(sets: readonly RecordSetResponse[]): string {
  return renderRows(sets, {
    set: 'recordSetId',
    state: ({ publishing, state }) =>
      publishing === 'broken-off' ? `${state} (interrupted)` : state,
    mode: 'mode',
    records: 'recordCount',
    rows: 'rowsRead',
    rejected: 'rowsRejected',
    begun: 'createdAt',
    published: 'publishedAt',
    source: ({ sourceSha256 }) => `${sourceSha256.slice(0, 12)}…`,
  })
}
