import { Readable } from 'node:stream'
import { chunksOf } from '@despatch/documents/chunks-of'
import { ZipFile } from 'yazl'
import type { FulfilmentJobFiles } from './fulfilment-job-files.ts'
import type { ReadDocument } from './read-documents.ts'

const ownerReads = 0o100644

type ZippedDocuments = {
  stream: Readable
  /** Size of the whole ZIP, known before anything is read. */
  bytes: number
}

/**
 * Returns a ZIP with a file `documentId.pdf` for each document. The files are not compressed, because PDFs hardly
 * shrink. The documents are read as the stream is read. If one cannot be read, the stream fails. The bytes sent so far
 * are then not a valid ZIP, because its list of files comes last.
 */
export function zipDocuments(
  { documents, claimedAt }: Pick<FulfilmentJobFiles, 'documents' | 'claimedAt'>,
  read: AsyncGenerator<ReadDocument>,
): ZippedDocuments {
  const zip = new ZipFile()
  const stream = zip.outputStream as Readable
  const fail = (error: unknown) => {
    stream.destroy(error instanceof Error ? error : new Error(String(error)))
  }
  zip.on('error', fail)
  stream.on('close', () => void read.return(undefined).catch(() => {}))
  for (const { documentId, bytes } of documents) {
    const options = { compress: false, size: bytes, mtime: claimedAt, mode: ownerReads }
    zip.addReadStreamLazy(`${documentId}.pdf`, options, (give) => {
      nextOf(read, documentId).then((content) => give(null, Readable.from(chunksOf(content))), fail)
    })
  }
  let bytes = 0
  const onSize = (size: number) => {
    bytes = size
  }
  // the types omit the argument of this callback; all lengths are known, so it is called at once
  zip.end({ forceZip64Format: false, comment: '' }, onSize as () => void)
  return { stream, bytes }
}

async function nextOf(read: AsyncGenerator<ReadDocument>, documentId: string): Promise<Uint8Array> {
  const { value, done } = await read.next()
  if (done || value.document.documentId !== documentId) {
    throw new Error(`Document ${documentId} was not read in order`)
  }
  return value.content
}
