import { once } from 'node:events'
import type { Writable } from 'node:stream'
import { type Command, Option } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { countOf } from '../count-of.ts'
import type { ReconciliationItem } from '../doctor/reconcile/reconciliation.ts'
import { wrongUsage } from '../failure.ts'
import { printable } from '../table.ts'
import { collect } from './option.ts'

export type ReconcileOptions = {
  reconcile?: true
  readObjects?: true
  printLog?: string[]
  accepted?: string
  holdPrinted?: string
}

/** Adds the options of `doctor` for use after a restore. */
export function addReconcileOptions(doctor: Command): void {
  doctor
    .option('--reconcile', 'compare the database with the bucket and external records instead')
    .option('--read-objects', 'with --reconcile: read every object and compare it with its name')
    .addOption(
      new Option(
        '--print-log <file>',
        'with --reconcile: print log of a provider or a manifest, as NDJSON; can be repeated',
      ).argParser(collect),
    )
    .option(
      '--accepted <file>',
      'with --reconcile: accepted print jobs, a user name and an id on each line',
    )
    .option(
      '--hold-printed <reason>',
      'with --print-log: hold print jobs that were printed but are not recorded as claimed, and advance numbers',
    )
    .addHelpText('after', helpAboutReconciling)
}

/** Prints each item as it is found. Ends with 1 if something is missing. */
export async function reconcileStores(
  options: ReconcileOptions,
  json: boolean,
  { environment, output, endWith }: Pick<CommandContext, 'environment' | 'output' | 'endWith'>,
): Promise<void> {
  refuseStrayOptions(options)
  const { readObjects = false, printLog: printLogs = [], accepted, holdPrinted } = options
  // Loaded here, because they load database and object store clients that no other command requires.
  const { withStores } = await import('../doctor/reconcile/open-stores.ts')
  const { reconcile } = await import('../doctor/reconcile/reconcile.ts')
  await withStores(environment, async (stores) => {
    const given = { readObjects, printLogs, accepted, holdReason: holdPrinted }
    const missing = await writeItems(reconcile({ ...stores, ...given }), json, output)
    if (missing > 0) endWith(1)
  })
}

function refuseStrayOptions({ reconcile, ...others }: ReconcileOptions): void {
  if (!reconcile && Object.keys(others).length > 0) throw wrongUsage('requires --reconcile')
  if (others.holdPrinted === undefined) return
  if (!others.printLog) throw wrongUsage('--hold-printed requires --print-log')
  if (others.holdPrinted.trim() === '') throw wrongUsage('--hold-printed requires a reason')
}

/** Writes the items one by one, because there may be as many as letters. Returns the number of missing ones. */
export async function writeItems(
  items: AsyncIterable<ReconciliationItem>,
  json: boolean,
  output: Writable,
): Promise<number> {
  const counts = { missing: 0, note: 0, done: 0 }
  const write = async (text: string) => {
    if (!output.write(text)) await once(output, 'drain')
  }
  if (json) await write('{"items":[')
  let separator = '\n'
  for await (const item of items) {
    counts[item.severity] += 1
    await write(json ? separator + JSON.stringify(item) : `${renderItem(item)}\n`)
    separator = ',\n'
  }
  const isWhole = counts.missing === 0
  await write(
    json
      ? `\n],"counts":${JSON.stringify(counts)},"isWhole":${isWhole}}\n`
      : `\n${counts.missing} missing, ${countOf(counts.note, 'note')}, ${counts.done} done.\n`,
  )
  return counts.missing
}

const marks = { missing: 'MISSING', note: 'note   ', done: 'done   ' } as const

function renderItem({ severity, kind, about, found, remedy }: ReconciliationItem): string {
  const subject = Object.entries(about).map(([name, value]) => `${name}=${value}`)
  const lines = [`${marks[severity]}  ${kind}  ${subject.join(' ')}`, `         ${found}`]
  if (remedy !== undefined) lines.push(`         remedy: ${remedy}`)
  return lines.map(printable).join('\n')
}

const helpAboutReconciling = `
--reconcile is for the time after a restore, before the services start: docs/backup-and-restore.md. It requires DATABASE_URL and
S3_* in the environment, and changes nothing without --hold-printed. Ends with 1 when something is missing or unguarded.`
