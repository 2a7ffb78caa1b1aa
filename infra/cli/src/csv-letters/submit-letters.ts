import type { ConsumerClient } from '@despatch/client/consumer-client'
import type { PrintJobRequest } from '@despatch/client/print-job'
import type { CommandContext } from '../command-context.ts'
import { countOf } from '../count-of.ts'
import { Failure, wrongUsage } from '../failure.ts'
import type { CommandOutput } from '../program.ts'
import { identifySource, refuseChange, type SourceFile } from '../records/source-file.ts'
import { showRows } from '../row-progress.ts'
import { eachAtOnce } from './at-once.ts'
import type { LetterRow } from './letter-columns.ts'
import { type PlacedLetter, planRows } from './plan-rows.ts'
import { type FileRow, readLetters } from './read-letters.ts'
import { addRefusal, createTally, renderLetters, type Tally } from './render-letters.ts'
import { beginResults, type ResultsFile, readResults } from './results-file.ts'
import { digestOf, mailingKey, parseRowId, rowId } from './row-id.ts'
import {
  type Created,
  outcomeOfAnswer,
  outcomeOfDryRun,
  outcomeOfError,
  type RowOutcome,
} from './row-outcome.ts'
import { takeLock } from './run-lock.ts'

export type LettersOptions = {
  path: string
  /** Distinguishes mailings of the same file. */
  mailing: string | undefined
  /** Returns the request of a row, without its id. */
  requestOf(row: LetterRow): PrintJobRequest
  isDryRun: boolean
  /** Whether the other rows are submitted if some are refused. */
  skipsRefused: boolean
  /** Whether rows that have changed since they were accepted are submitted as further letters. */
  takesChanged: boolean
  isQuiet: boolean
}

type Run = LettersOptions & {
  client: ConsumerClient
  context: CommandContext
  signal: AbortSignal
  tally: Tally
}

/** The service checks few letters of a consumer at once, and asks it to repeat more than a few others. */
const checksAtOnceMax = 4
const submissionsAtOnceMax = 16

/**
 * Submits each row of a file as a letter, once, however often it is called for the same file. Checks all rows first.
 * Throws a Failure that says how to continue if it is interrupted.
 */
export async function submitLetters(
  client: ConsumerClient,
  options: LettersOptions,
  context: CommandContext,
): Promise<CommandOutput> {
  const interrupted = new AbortController()
  const stopListening = context.onInterrupt(() => interrupted.abort())
  const { signal } = interrupted
  const tally = createTally()
  try {
    const source = await identifySource(options.path, signal)
    const release = await takeLock(`${resultsPathOf(options)}.lock`)
    try {
      return await submit({ ...options, client, context, signal, tally }, source)
    } finally {
      await release()
    }
  } catch (error) {
    if (signal.aborted) throw new Failure(`interrupted. ${howToContinue(tally)}`, { exitCode: 130 })
    if (!(error instanceof Failure) || tally.submitted === 0) throw error
    throw new Failure(`${error.message}. ${howToContinue(tally)}`, {
      exitCode: error.exitCode,
      cause: error,
    })
  } finally {
    stopListening()
  }
}

function howToContinue({ submitted, submittedBefore, rows }: Tally): string {
  const done = submitted + submittedBefore
  if (done === 0) return 'Nothing was submitted. The same command starts again'
  return `${done} of ${countOf(rows, 'row')} submitted. The same command continues with the others`
}

/** Returns the path of the results, beside the file. */
export function resultsPathOf({ path, mailing }: Pick<LettersOptions, 'path' | 'mailing'>): string {
  const name = path.replace(/\.csv$/i, '')
  return mailing === undefined ? `${name}.results.csv` : `${name}.${mailing}.results.csv`
}

async function submit(run: Run, source: SourceFile): Promise<CommandOutput> {
  const { path, isDryRun, skipsRefused, takesChanged, tally } = run
  const results = resultsPathOf(run)
  const earlier = await readResults(results)
  const { mailing } = earlier
  if (mailing?.cutOffSha256 && mailing.cutOffSha256 !== source.sha256 && !takesChanged) {
    throw changedAfterCutOff(path)
  }
  const key = mailing?.key ?? mailingKey(source.sha256, run.mailing)
  const digests = await digestRows(run, key)
  if (digests.size === 0) throw wrongUsage(`${path} has no rows`)
  const { done, gone } = planRows(digests, earlier.accepted)
  if (gone.length > 0 && !takesChanged) throw changed(path, gone)
  tally.rows = digests.size
  tally.submittedBefore = done.size

  const isGone = new Set(gone.map(({ row, digest }) => `${row} ${digest}`))
  const submitted = earlier.submitted.map((result) => {
    const { row, digest } = parseRowId(result.id)!
    return isGone.has(`${row} ${digest}`) ? { ...result, status: 'replaced' as const } : result
  })
  const file = await beginResults(results, key, { mailing, submitted })
  try {
    const rows = { run, key, file, skipped: new Set(done) }
    await checkRows(rows)
    const hasSubmitted = !isDryRun && (tally.refused === 0 || skipsRefused)
    if (hasSubmitted) {
      await refuseChange(source, 'Nothing was submitted. Run the command again')
      await submitRows(rows, source)
    }
    return renderLetters(tally, { results, hasSubmitted, isDryRun })
  } finally {
    await file.close()
  }
}

/** Reads the whole file, and returns a digest of each row by its number. */
async function digestRows(
  { path, signal, requestOf }: Run,
  key: string,
): Promise<Map<number, string>> {
  const digests = new Map<number, string>()
  for await (const each of readLetters(path, signal)) {
    digests.set(each.row, digestOf(contentOf(each, requestOf), key))
  }
  return digests
}

function changed(path: string, gone: readonly PlacedLetter[]): Failure {
  const shownMax = 20
  const shown = gone.slice(0, shownMax).map(({ row }) => row)
  const others = gone.length > shownMax ? ` and ${gone.length - shownMax} more` : ''
  return new Failure(
    [
      `${path} has changed since letters were submitted: ${countOf(gone.length, 'row')} (${shown.join(', ')}${others})`,
      'Nothing was submitted. --changed submits what is new in these rows as further letters',
      'For another mailing, give --mailing, or move the file of results away',
    ].join('\n          '),
    { exitCode: 1 },
  )
}

/** A letter that was sent without a result is known only by the content of its row. */
function changedAfterCutOff(path: string): Failure {
  return new Failure(
    [
      `${path} has changed since a run was cut off, whose last letters may have been accepted`,
      'Nothing was submitted. Run the command with the file as it was, and then with the changes',
      'Or submit changed rows as further letters with --changed',
    ].join('\n          '),
    { exitCode: 1 },
  )
}

type Rows = {
  run: Run
  key: string
  file: ResultsFile
  /** Rows that are not sent: those of letters that were submitted before, and refused ones. */
  skipped: Set<number>
}

async function checkRows(rows: Rows): Promise<void> {
  const { run, file, skipped } = rows
  const { client, signal, tally } = run
  const check = (request: PrintJobRequest) =>
    client.validatePrintJob(request, { signal }).then(outcomeOfDryRun, outcomeOfError)
  await eachRow(rows, { atOnceMax: checksAtOnceMax, send: check }, async (row, id, outcome) => {
    const { kind, why } = outcome
    if (kind === 'refused') {
      skipped.add(row)
      addRefusal(tally, row, why)
    } else {
      tally.acceptable += 1
    }
    const status = kind === 'refused' ? kind : 'noted'
    if (why !== '') await file.add({ row, id, status, why })
  })
}

async function submitRows(rows: Rows, { sha256 }: SourceFile): Promise<void> {
  const { run, file, skipped } = rows
  const { client, signal, tally } = run
  if (skipped.size === tally.rows) return
  await file.beginSending(sha256)
  /** The id makes it safe to repeat the call, in this run and in another. */
  const submitOne = (body: PrintJobRequest): Promise<RowOutcome> =>
    client
      .call<Created>('POST', '/print-request/v1/print/jobs', { body, isRepeatable: true, signal })
      .then(outcomeOfAnswer, outcomeOfError)
  const options = { atOnceMax: submissionsAtOnceMax, send: submitOne }
  await eachRow(rows, options, async (row, id, outcome) => {
    const { kind, why } = outcome
    await file.add({ row, id, status: kind, why })
    if (kind === 'refused') addRefusal(tally, row, why)
    else if (outcome.isRepeated) tally.submittedBefore += 1
    else tally.submitted += 1
  })
  await file.endSending()
}

type Sending = { atOnceMax: number; send(request: PrintJobRequest): Promise<RowOutcome> }

/** Reads the file again, sends the rows that are not skipped, and shows the progress. */
async function eachRow(
  { run, key, skipped }: Rows,
  { atOnceMax, send }: Sending,
  take: (row: number, id: string, outcome: RowOutcome) => Promise<void>,
): Promise<void> {
  const { path, signal, context, isQuiet, tally, requestOf } = run
  const total = tally.rows - skipped.size
  if (total === 0) return
  async function* due(): AsyncGenerator<FileRow> {
    for await (const each of readLetters(path, signal)) if (!skipped.has(each.row)) yield each
  }
  const shown = { ...context, total, rowsBefore: 0, rejectedWord: 'refused', isQuiet }
  const progress = await showRows(shown)
  let done = 0
  try {
    await eachAtOnce(due(), atOnceMax, async (each) => {
      const { row } = each
      const content = contentOf(each, requestOf)
      const id = rowId(key, row, digestOf(content, key))
      const outcome: RowOutcome =
        'fault' in content
          ? { kind: 'refused', why: content.fault }
          : await send({ ...content, id })
      await take(row, id, outcome)
      done += 1
      progress.show({ rows: done, rejected: tally.refused, done })
    })
  } finally {
    progress.end()
  }
}

/** Returns what a row's id follows from. */
function contentOf(each: FileRow, requestOf: LettersOptions['requestOf']) {
  return 'letter' in each ? requestOf(each.letter) : { fault: each.fault }
}
