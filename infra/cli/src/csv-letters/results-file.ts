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

export type Result = { row: number; id: string; status: RowStatus; why: string }

/** What the runs before have left of their results. */
export type EarlierResults = {
  /** The secret of the mailing. Undefined: nothing has been sent. */
  key: string | undefined
  /** Those of letters that were submitted. */
  submitted: readonly Result[]
  /** The letters of rows that have not changed since. */
  accepted: readonly PlacedLetter[]
}

export type ResultsFile = {
  /** Call it before the first letter is sent: a change of the file then does not begin another mailing. */
  beginMailing(): Promise<void>
  /** Adds a line. It survives a crash of the machine once the promise resolves. */
  add(result: Result): Promise<void>
  close(): Promise<void>
}

const header = ['row', 'id', 'status', 'why']
/** The line of the mailing itself is no row of a spreadsheet. */
const mailingRow = '0'
const begun = 'begun'
const notBegun = 'checked'

/** Reads the results of earlier runs. Throws a Failure if the file is another one. */
export async function readResults(path: string): Promise<EarlierResults> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw new Failure(`${path} cannot be read (${error.code})`, { exitCode: 1, cause: error })
  })
  // a run that was killed may leave part of a line
  const whole = text.slice(0, text.lastIndexOf('\n') + 1)
  const [first, mailing, ...rows] = recordsOf(whole, path)
  if (!first) return { key: undefined, submitted: [], accepted: [] }
  if (first.join() !== header.join() || mailing?.[0] !== mailingRow) throw notResults(path)
  const submitted = rows.flatMap(([row, id = '', status, why = '']) =>
    status === 'accepted' || status === 'replaced' ? [{ row: Number(row), id, status, why }] : [],
  )
  const accepted = submitted.flatMap(({ id, status }) => {
    const letter = parseRowId(id)
    if (!letter) throw notResults(path)
    return status === 'accepted' ? [letter] : []
  })
  const isBegun = [mailing, ...rows].some(
    ([row, , status]) => row === mailingRow && status === begun,
  )
  return { key: isBegun ? mailing[1] : undefined, submitted, accepted }
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
  { key, isBegun, submitted }: { key: string; isBegun: boolean; submitted: readonly Result[] },
): Promise<ResultsFile> {
  const partial = `${path}.part`
  const file = await open(partial, 'w', 0o600).catch((error: NodeJS.ErrnoException) => {
    throw new Failure(`${path} cannot be written (${error.code})`, { exitCode: 1, cause: error })
  })
  const mailing = [mailingRow, key, isBegun ? begun : notBegun, '']
  await file.writeFile(stringify([header, mailing, ...submitted.map(cellsOf)]))
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
    beginMailing: async () => {
      if (!isBegun) await add([mailingRow, key, begun, ''])
    },
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
