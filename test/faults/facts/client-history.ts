import { createWriteStream } from 'node:fs'
import { finished } from 'node:stream/promises'

/** How the names of client processes begin. */
export const clientPrefix = 'client '

/**
 * What one process did or saw. A process does one thing at a time: each `invoke` is followed by its `ok`, `fail` or
 * `unknown`, unless the run ends before. An outage or a blow is such an operation too, of the process `nemesis`. What a
 * receiver was called with, and what a factory printed, are added in the end.
 */
export type HistoryLine = {
  /** Milliseconds since 1970. */
  time: number
  process: string
  /** ok: it is done. fail: it was refused. unknown: it may be done. */
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
  /** Of the print job; of an outage, the dependency; of a blow, what it is; of a call, the callback. */
  id: string
  /** Of HTTP. Absent: no answer came. */
  status?: number
  /** Of an answer with the status 503. */
  hasRetryAfter?: boolean
  /** What is posted. */
  letter?: LetterKind
}

export type LetterKind = {
  files: 'none' | 'inline' | 'upload'
  /** Each of its posts has the same Idempotency-Key. */
  hasKey: boolean
  /** Its client posts it until it is accepted; else it posts it once. */
  isPatient: boolean
  /** It asks for callbacks. */
  isCalledBack: boolean
}

export type Outage = { dependency: string; from: number; to: number }

export type ClientHistory = {
  lines: readonly HistoryLine[]
  /** The time is now, unless the line has another. */
  add(line: Omit<HistoryLine, 'time'> & { time?: number }): void
  /** Writes out what is not written yet. */
  close(): Promise<void>
}

/** Keeps the history in memory and writes it to a file, one JSON object a line. */
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

/** The outages that the history tells, each from its first to its last moment. */
export function outagesOf(lines: readonly HistoryLine[]): Outage[] {
  const told = lines.filter(({ operation }) => operation === 'outage')
  return told
    .filter(({ type }) => type === 'invoke')
    .map(({ id, time }) => {
      const end = told.find((line) => line.id === id && line.type === 'ok' && line.time >= time)
      return { dependency: id, from: time, to: end?.time ?? Infinity }
    })
}
