import type { PrintedDocument } from './printed-letters.ts'
import { type Line, readLines } from './read-lines.ts'

type PrintLogLine =
  | { kind: 'document'; document: PrintedDocument }
  | { kind: 'run'; batchNumber: string }
  | { kind: 'unreadable'; number: number }

const shapes = {
  documentId: /^D\d{1,15}$/,
  batchNumber: /^R\d{1,15}$/,
  sha256: /^[0-9a-f]{64}$/,
} as const
const linesWithoutDocument = ['fulfilmentJob', 'totals']

/**
 * Reads a print log or a manifest. A print log has one object with documentId, batchNumber, attempt and sha256 on each
 * line. A manifest of a print run is NDJSON, and its documents belong to the run on the line before them. A file may
 * contain several manifests.
 */
export async function* readPrintLog(path: string): AsyncGenerator<PrintLogLine> {
  let run: string | undefined
  for await (const line of readLines(path)) {
    const read = readLine(line, run)
    if (read?.kind === 'run') run = read.batchNumber
    if (read) yield read
  }
}

/** Returns undefined for a line of a manifest that names no document. */
export function readLine(
  { number, text }: Line,
  run: string | undefined,
): PrintLogLine | undefined {
  const value = parse(text)
  const of = (name: keyof typeof shapes) => {
    const member = value[name]
    return typeof member === 'string' && shapes[name].test(member) ? member : undefined
  }
  if (linesWithoutDocument.includes(String(value.type))) return undefined
  const batchNumber = of('batchNumber') ?? run
  if (value.type === 'printRun' && of('batchNumber')) {
    return { kind: 'run', batchNumber: of('batchNumber')! }
  }
  const [documentId, sha256, { attempt }] = [of('documentId'), of('sha256'), value]
  if (!documentId || !sha256 || !batchNumber || !isAttempt(attempt)) {
    return { kind: 'unreadable', number }
  }
  return { kind: 'document', document: { documentId, batchNumber, attempt, sha256 } }
}

function isAttempt(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 1
}

function parse(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}
