import { createWriteStream } from 'node:fs'
import { finished } from 'node:stream/promises'

/** The prefix of the names of client processes. */
export const clientPrefix = 'client '

/**
 * What one process did or saw. A process does one thing at a time: each `invoke` is followed by its `ok`, `fail` or
 * `unknown`, unless the run ends before. The process `nemesis` records outages and blows as such operations. Calls that
 * a receiver got, and documents that a factory printed, are added at the end.
 */
export type HistoryLine = {
  /** Milliseconds since 1970. */
  time: number
  process: string
  /** ok: it succeeded. fail: it was refused. unknown: it may have succeeded. */
  type: 'invoke' | 'ok' | 'fail' | 'unknown'
  operation:
    | 'post'
    | 'read'
    | 'delete'
    | 'make-upload'
    | 'fill-upload'
    | 'outage'
    | 'blow'
    | 'receive'
    | 'print'
  /** The id of the print job or, for a call, of the callback. For an outage, the dependency. For a blow, its name. */
  id: string
  /** The HTTP status. Absent: no answer arrived. */
  status?: number
  /** Present for an answer with the status 503. */
  hasRetryAfter?: boolean
  letter?: LetterKind
}

export type LetterKind = {
  files: 'none' | 'inline' | 'upload'
  /** All its posts have the same Idempotency-Key. */
  hasKey: boolean
  /** Whether its client retries until the letter is accepted. Otherwise it posts the letter once. */
  isPatient: boolean
  /** The letter asks for callbacks. */
  isCalledBack: boolean
}

export type Outage = { dependency: string; from: number; to: number }

export type ClientHistory = {
  lines: readonly HistoryLine[]
  /** Adds a line. Its time is now, unless the line has one. */
  add(line: Omit<HistoryLine, 'time'> & { time?: number }): void
  /** Writes the remaining lines. */
  close(): Promise<void>
}

/** Keeps the history in memory and writes it to a file, one JSON object per line. */
export function openClientHistory(path: string): ClientHistory {
  const lines: HistoryLine[] = []
  const file = createWriteStream(path, { mode: 0o600 })
  return {
    lines,
    add: (line) => {
      const timed = { time: Date.now(), ...line }
      lines.push(timed)
      file.write(`${JSON.stringify(timed)}\n`)
    },
    close: () => finished(file.end()),
  }
}

/** Returns the outages in the history, each with its beginning and its end. */
export function outagesOf(lines: readonly HistoryLine[]): Outage[] {
  const told = lines.filter(({ operation }) => operation === 'outage')
  return told
    .filter(({ type }) => type === 'invoke')
    .map(({ id, time }) => {
      const end = told.find((line) => line.id === id && line.type === 'ok' && line.time >= time)
      return { dependency: id, from: time, to: end?.time ?? Infinity }
    })
}
