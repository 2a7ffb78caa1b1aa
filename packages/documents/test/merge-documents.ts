import { createPrintStream } from '../src/print-stream/print-stream.ts'
import { makePrintStreamPart } from '../src/print-stream/print-stream-part.ts'

/** Returns a whole print stream of the documents, made in parts of `at` documents. */
export async function mergeDocuments(
  documents: readonly Uint8Array[],
  { plex = 'simplex', at = 3 }: { plex?: 'simplex' | 'duplex'; at?: number } = {},
): Promise<{ pdf: Uint8Array; documentPages: number[] }> {
  const stream = createPrintStream({ name: 'test' })
  const chunks: Uint8Array[] = []
  const documentPages: number[] = []
  for (let first = 0; first < documents.length; first += at) {
    const part = await makePrintStreamPart({
      documents: documents.slice(first, first + at),
      plex,
      place: stream.place(),
    })
    chunks.push(...stream.add(part))
    documentPages.push(...part.documentPages)
  }
  chunks.push(...stream.end())
  return { pdf: Buffer.concat(chunks), documentPages }
}
