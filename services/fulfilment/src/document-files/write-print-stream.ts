import type { Composers } from '@despatch/composer/composers'
import { createPrintStream } from '@despatch/documents/print-stream/print-stream'
import type { PrintStreamPart } from '@despatch/documents/print-stream/print-stream-part'
import { readAhead } from '@despatch/store/read-ahead'
import type { FulfilmentJobFiles } from './fulfilment-job-files.ts'
import { DocumentFileFault, type ReadDocument } from './read-documents.ts'

/** Limits for one group of documents that a thread receives: their number, and the bytes after which the group ends. */
const partMax = { documents: 32, bytes: 4 * 1024 * 1024 }

/**
 * Yields one PDF of all documents, in pieces. Memory holds only the positions of its objects. Throws DocumentFileFault
 * for a document that cannot be read or whose page count differs from its manifest.
 */
export async function* writePrintStream({
  name,
  plex,
  read,
  printStreamPart,
}: Pick<FulfilmentJobFiles, 'plex'> & {
  name: string
  read: AsyncGenerator<ReadDocument>
  printStreamPart: Composers['printStreamPart']
}): AsyncGenerator<Uint8Array> {
  const stream = createPrintStream({ name })
  for await (const part of readAhead(parts())) yield* stream.add(part)
  yield* stream.end()

  async function* parts(): AsyncGenerator<PrintStreamPart> {
    let place = stream.place()
    for await (const group of groupDocuments(read)) {
      const documents = group.map(({ content }) => content)
      const part = await printStreamPart({ documents, plex, place })
      checkPages(group, part)
      place = part.place
      yield part
    }
  }
}

async function* groupDocuments(read: AsyncIterable<ReadDocument>): AsyncGenerator<ReadDocument[]> {
  let group: ReadDocument[] = []
  let bytes = 0
  for await (const document of read) {
    group.push(document)
    bytes += document.content.length
    if (group.length < partMax.documents && bytes < partMax.bytes) continue
    yield group
    group = []
    bytes = 0
  }
  if (group.length > 0) yield group
}

/** The manifest determines where each document begins, so its page count must match. */
function checkPages(group: readonly ReadDocument[], { documentPages }: PrintStreamPart): void {
  for (const [index, { document }] of group.entries()) {
    const pages = documentPages[index]
    if (pages === document.pages) continue
    throw new DocumentFileFault(
      `The file of document ${document.documentId} has ${pages} pages, not ${document.pages}`,
    )
  }
}
