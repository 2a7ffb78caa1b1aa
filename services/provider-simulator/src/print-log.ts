import { mkdir, open, readFile } from 'node:fs/promises'
import { dirname } from 'node:path'

export type PrintedDocument = {
  documentId: string
  attempt: number
  batchNumber: string
  sha256: string
}

export type PrintLog = {
  wasPrinted(document: Pick<PrintedDocument, 'documentId' | 'attempt'>): boolean
  /** Prints, which here means to note it for ever. Refuses to print an attempt of a document a second time. */
  print(document: PrintedDocument): Promise<'printed' | 'refused'>
  close(): Promise<void>
}

/** Opens the floor's log: one line of JSON for each printed document, only ever appended to. */
export async function openPrintLog(path: string): Promise<PrintLog> {
  await mkdir(dirname(path), { recursive: true })
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw error
  })
  const printed = new Set(text.split('\n').flatMap(readKey))
  const file = await open(path, 'a')
  // A crash may have cut the last line short: what follows must not be written onto it.
  if (text !== '' && !text.endsWith('\n')) await file.appendFile('\n')

  return {
    wasPrinted: (document) => printed.has(keyOf(document)),
    print: async (document) => {
      const key = keyOf(document)
      if (printed.has(key)) return 'refused'
      printed.add(key)
      try {
        const { documentId, attempt, batchNumber, sha256 } = document
        const line = JSON.stringify({ documentId, attempt, batchNumber, sha256 })
        await file.appendFile(`${line}\n`)
        return 'printed'
      } catch (error) {
        printed.delete(key)
        throw error
      }
    },
    close: async () => {
      await file.sync()
      await file.close()
    },
  }
}

function keyOf({ documentId, attempt }: { documentId: string; attempt: number }): string {
  return `${documentId} ${attempt}`
}

function readKey(line: string): string[] {
  try {
    return [keyOf(JSON.parse(line) as PrintedDocument)]
  } catch {
    return []
  }
}
