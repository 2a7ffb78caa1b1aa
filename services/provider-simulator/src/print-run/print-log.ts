import { mkdir, open, readFile } from 'node:fs/promises'
import { dirname } from 'node:path'

type PrintedDocument = {
  documentId: string
  attempt: number
  batchNumber: string
  sha256: string
  /** The number of the numbered sheet that it was printed on. */
  serialNumber?: string
}

export type PrintLog = {
  /** Returns the copy that was printed in an attempt at a document, or undefined. */
  find(document: Pick<PrintedDocument, 'documentId' | 'attempt'>): PrintedCopy | undefined
  /**
   * Prints a document: records it permanently, and takes a sheet of numbered stock if the factory uses such stock.
   * Returns 'refused' if this attempt at the document was printed before.
   */
  print(document: Omit<PrintedDocument, 'serialNumber'>): Promise<'printed' | 'refused'>
  close(): Promise<void>
}
type PrintedCopy = Pick<PrintedDocument, 'serialNumber'>

const serialDigits = 8

/** Opens the floor's log: one line of JSON for each printed document, in a file that only grows. */
export async function openPrintLog(
  path: string,
  { serialNumberPrefix }: { serialNumberPrefix?: string | undefined } = {},
): Promise<PrintLog> {
  await mkdir(dirname(path), { recursive: true })
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw error
  })
  const printed = new Map<string, PrintedCopy>()
  let sheetsTaken = 0
  for (const { documentId, attempt, serialNumber } of text.split('\n').flatMap(readLine)) {
    printed.set(keyOf({ documentId, attempt }), serialNumber ? { serialNumber } : {})
    sheetsTaken = Math.max(sheetsTaken, numberOf(serialNumber, serialNumberPrefix))
  }
  await using parts = new AsyncDisposableStack()
  const file = parts.use(await open(path, 'a'))
  parts.defer(() => file.sync())
  // A crash may have cut off the last line. The next entry must start on a new line.
  if (text !== '' && !text.endsWith('\n')) await file.appendFile('\n')

  function takeSheet(): PrintedCopy {
    if (serialNumberPrefix === undefined) return {}
    sheetsTaken += 1
    return { serialNumber: serialNumberPrefix + String(sheetsTaken).padStart(serialDigits, '0') }
  }

  const opened = parts.move()
  return {
    find: (document) => printed.get(keyOf(document)),
    print: async (document) => {
      const key = keyOf(document)
      if (printed.has(key)) return 'refused'
      const copy = takeSheet()
      printed.set(key, copy)
      try {
        const { documentId, attempt, batchNumber, sha256 } = document
        const line = JSON.stringify({ documentId, attempt, batchNumber, sha256, ...copy })
        await file.appendFile(`${line}\n`)
        return 'printed'
      } catch (error) {
        printed.delete(key)
        throw error
      }
    },
    close: () => opened.disposeAsync(),
  }
}

function keyOf({ documentId, attempt }: { documentId: string; attempt: number }): string {
  return `${documentId} ${attempt}`
}

function numberOf(serialNumber = '', prefix = ''): number {
  if (!prefix || !serialNumber.startsWith(prefix)) return 0
  return Number(serialNumber.slice(prefix.length)) || 0
}

function readLine(line: string): PrintedDocument[] {
  try {
    return [JSON.parse(line) as PrintedDocument]
  } catch {
    return []
  }
}
