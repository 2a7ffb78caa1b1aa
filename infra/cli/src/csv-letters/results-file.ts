import { open, readFile, rename } from 'node:fs/promises'
import { parse } from 'csv-parse/sync'
import { stringify } from 'csv-stringify/sync'
import { Failure, wrongUsage } from '../failure.ts'
import type { PlacedLetter } from './plan-rows.ts'
import { parseRowId } from './row-id.ts'

/**
 * accepted: the letter is submitted. replaced: the same, but its row has changed since. noted: the letter would be
 * accepted, with remarks.
 */
export type RowStatus = 'accepted' | 'replaced' | 'noted' | 'refused'

export type Mailing = {
  /** Its secret, which stays the same when the file is changed. */
  key: string
  /** The hash of the file of which letters may have been sent without a result, because a run was cut off. */
  cutOffSha256: string | undefined
}

export type Result = { row: number; id: string; status: RowStatus; why: string }

/** What the runs before have left of their results. */
export type EarlierResults = {
  /** Undefined: nothing has been sent. */
  mailing: Mailing | undefined
  /** Those of letters that were submitted. */
  submitted: readonly Result[]
  /** The letters of rows that have not changed since. */
  accepted: readonly PlacedLetter[]
}

export type ResultsFile = {
  /** Call it before letters of a file with this hash are sent, and the next when all of them have results. */
  beginSending(fileSha256: string): Promise<void>
  endSending(): Promise<void>
  /** Adds a line. It survives a crash of the machine once the promise resolves. */
  add(result: Result): Promise<void>
  close(): Promise<void>
}

const header = ['row', 'id', 'status', 'why']
/** The line of the mailing itself is no row of a spreadsheet. */
const mailingRow = '0'
const [notBegun, begun, ended] = ['checked', 'begun', 'ended'] as const

/** Reads the results of earlier runs. Throws a Failure if the file is another one. */
export async function readResults(path: string): Promise<EarlierResults> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw new Failure(`${path} cannot be read (${error.code})`, { exitCode: 1, cause: error })
  })
  // a run that was killed may leave part of a line
  const whole = text.slice(0, text.lastIndexOf('\n') + 1)
  const [first, ...rows] = recordsOf(whole, path)
  if (!first) return { mailing: undefined, submitted: [], accepted: [] }
  const [, key, state, sha256] = rows.findLast(([row]) => row === mailingRow) ?? []
  if (first.join() !== header.join() || key === undefined) throw notResults(path)
  const found = rows.flatMap(([row, id = '', status, why = '']): Result[] =>
    status === 'accepted' || status === 'replaced' ? [{ row: Number(row), id, status, why }] : [],
  )
  // answers come in any order
  const submitted = found.toSorted((one, other) => one.row - other.row)
  const accepted = submitted.flatMap(({ id, status }) => {
    const letter = parseRowId(id)
    if (!letter) throw notResults(path)
    return status === 'accepted' ? [letter] : []
  })
  const cutOffSha256 = state === begun ? sha256 : undefined
  return { mailing: state === notBegun ? undefined : { key, cutOffSha256 }, submitted, accepted }
}

function recordsOf(text: string, path: string): string[][] {
  try {
    return parse(text)
  } catch {
    throw notResults(path)
  }
}

function notResults(path: string): Failure {
  return wrongUsage(`${path} is not a file of results. Move it away`)
}

/**
 * Begins the results of this run, with those of the letters that were submitted before. Only the owner may read the
 * file. It replaces the earlier one at once, so that no submitted letter is ever missing.
 */
export async function beginResults(
  path: string,
  newKey: string,
  { mailing, submitted }: Pick<EarlierResults, 'mailing' | 'submitted'>,
): Promise<ResultsFile> {
  const partial = `${path}.part`
  const file = await open(partial, 'w', 0o600).catch((error: NodeJS.ErrnoException) => {
    throw new Failure(`${path} cannot be written (${error.code})`, { exitCode: 1, cause: error })
  })
  const { key, cutOffSha256 } = mailing ?? { key: newKey }
  const state = cutOffSha256 === undefined ? ended : begun
  const first = [mailingRow, key, mailing ? state : notBegun, cutOffSha256 ?? '']
  await file.writeFile(stringify([header, first, ...submitted.map(cellsOf)]))
  await file.sync()
  await rename(partial, path)

  let waiting: string[][] = []
  let writing: Promise<void> | undefined
  async function write(): Promise<void> {
    try {
      while (waiting.length > 0) {
        const lines = stringify(waiting)
        waiting = []
        await file.appendFile(lines)
        await file.datasync()
      }
    } finally {
      writing = undefined
    }
  }
  function add(cells: string[]): Promise<void> {
    waiting.push(cells)
    writing ??= write()
    return writing
  }
  return {
    beginSending: (fileSha256) => add([mailingRow, key, begun, fileSha256]),
    endSending: () => add([mailingRow, key, ended, '']),
    add: (result) => add(cellsOf(result)),
    close: async () => {
      await writing
      await file.close()
    },
  }
}

function cellsOf({ row, id, status, why }: Result): string[] {
  // one line each, so that a torn one is the last
  return [String(row), id, status, why.replaceAll(/\s+/g, ' ')]
}
