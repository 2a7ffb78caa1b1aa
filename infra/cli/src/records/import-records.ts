import { resolve } from 'node:path'
import type {
  BeginRecordSetRequest,
  RecordSetResponse,
} from '@despatch/contracts/administration/record-set'
import type { RecordKind } from '@despatch/contracts/records/record-kinds'
import type { CommandContext } from '../command-context.ts'
import { countOf } from '../count-of.ts'
import { Failure, wrongUsage } from '../failure.ts'
import type { CommandOutput } from '../program.ts'
import { showRows } from '../row-progress.ts'
import type { Session } from '../session.ts'
import { type LoadedSource, type Loading, loadSource, tryToRead } from './load-source.ts'
import { publishSet } from './publish-set.ts'
import { createRejectFile } from './reject-file.ts'
import { isTooMany, type RejectsMax, renderRejectsMax } from './rejects-max.ts'
import { formatOf, identifySource, refuseChange, type SourceFormat } from './source-file.ts'

type ImportOptions = {
  kind: RecordKind
  path: string
  format: SourceFormat | undefined
  isUpdate: boolean
  rejectsPath: string | undefined
  rejectsMax: RejectsMax
  /** If true, prints only the result. */
  isQuiet: boolean
}

/** Exit code if rows were rejected and the others were published. */
const rejectedExitCode = 3

/**
 * Imports a source: loads its rows into a new set, or continues an interrupted one, and publishes it. Throws a Failure
 * that says how to continue if it is interrupted or too many rows are rejected.
 */
export async function importRecords(
  session: Session,
  options: ImportOptions,
  context: CommandContext,
): Promise<CommandOutput> {
  const interrupted = new AbortController()
  const position = { rows: 0 }
  const stopListening = context.onInterrupt(() => interrupted.abort())
  try {
    return await run(session, options, { context, signal: interrupted.signal, position })
  } catch (error) {
    if (!interrupted.signal.aborted) throw error
    const { rows } = position
    throw new Failure(`interrupted after row ${rows}. The same command continues from there`, {
      exitCode: 130,
    })
  } finally {
    stopListening()
  }
}

type Run = { context: CommandContext; signal: AbortSignal; position: { rows: number } }

async function run(session: Session, options: ImportOptions, course: Run): Promise<CommandOutput> {
  const { kind, path, isUpdate, isQuiet } = options
  const { context, signal } = course
  const rejectsPath = options.rejectsPath ?? `${path}.rejects.csv`
  if (resolve(rejectsPath) === resolve(path)) throw wrongUsage('--rejects names the source itself')
  const format = formatOf(path, options.format)
  const source = await identifySource(path, signal)
  await tryToRead(path, format, kind)
  const request: BeginRecordSetRequest = {
    kind,
    mode: isUpdate ? 'update' : 'replace',
    sourceSha256: source.sha256,
  }
  const set = await session.send<RecordSetResponse>('POST', '/record-sets', request)
  const loaded = await load({ session, set, source, format, rejectsPath, isQuiet }, course)
  await refuseChange(source, 'Nothing was published. Abandon the import and start again')

  const rejects = loaded.rowsRejected > 0 ? rejectsPath : undefined
  refuseRejects(options, loaded, rejects)
  if (!isQuiet) context.note('All rows are read. Publishing …')
  const published = await publishSet(session, set.recordSetId, signal)
  return renderImport(published, rejects)
}

type Load = Pick<Loading, 'session' | 'set' | 'source' | 'format'> & {
  rejectsPath: string
  isQuiet: boolean
}

async function load(
  { session, set, source, format, rejectsPath, isQuiet }: Load,
  { context, signal, position }: Run,
): Promise<LoadedSource> {
  const { recordSetId, kind, rowsRead: rowsBefore } = set
  position.rows = rowsBefore
  if (rowsBefore > 0 && !isQuiet) {
    context.note(`Continuing record set ${recordSetId} after row ${rowsBefore}.`)
  }
  const { bytes: total } = source
  const rejectFile = await createRejectFile(rejectsPath)
  const progress = await showRows({ ...context, total, rowsBefore, isQuiet })
  const onRows = (rows: number) => {
    position.rows = Math.max(position.rows, rows)
  }
  try {
    const course = { rejectFile, progress, signal, onRows }
    return await loadSource({ session, set, source, format, ...course })
  } catch (error) {
    throw unreadable(error, kind)
  } finally {
    progress.end()
    await rejectFile.close()
  }
}

/** The source contains errors. Once corrected, it counts as a new source. */
function unreadable(error: unknown, kind: RecordKind): unknown {
  if (!(error instanceof Failure && error.exitCode === 2)) return error
  const abandon = `despatch ${kind}s abandon`
  return wrongUsage(
    `${error.message}. Nothing was published. First run ${abandon}, and then correct the source`,
  )
}

function refuseRejects(
  { kind, rejectsMax }: ImportOptions,
  { rowsRead, rowsRejected }: LoadedSource,
  rejects: string | undefined,
): void {
  const abandon = `abandon it with: despatch ${kind}s abandon`
  if (rowsRead === rowsRejected) {
    const why =
      rowsRead === 0 ? 'there are no rows' : `all rows (${rowsRead}) were rejected: ${rejects}`
    throw new Failure(`${why}. Nothing was published; ${abandon}`, { exitCode: 1 })
  }
  if (!isTooMany(rejectsMax, rowsRejected, rowsRead)) return
  throw new Failure(
    [
      `${rowsRejected} of ${countOf(rowsRead, 'row')} rejected, more than ${renderRejectsMax(rejectsMax)}: ${rejects}`,
      `Nothing was published. Publish the others with a greater --rejects-max, or ${abandon}`,
    ].join('\n          '),
    { exitCode: 1 },
  )
}

function renderImport(set: RecordSetResponse, rejects: string | undefined): CommandOutput {
  const { recordSetId, kind, recordCount, rowsRead, rowsRejected } = set
  const lines = [
    `Record set ${recordSetId} is current: ${countOf(recordCount ?? 0, kind)}, ${rowsRead - rowsRejected} of them from this source.`,
    ...(rejects ? [`${rowsRejected} of ${countOf(rowsRead, 'row')} rejected: ${rejects}`] : []),
  ]
  return {
    document: { ...set, ...(rejects && { rejects }) },
    text: lines.join('\n'),
    ...(rejects && { exitCode: rejectedExitCode }),
  }
}
