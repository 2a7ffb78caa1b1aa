import { createHash } from 'node:crypto'
import { documentKey } from '@despatch/object-store/keys'
import type { ObjectStore } from '@despatch/object-store/object-store'
import type { FulfilmentJobDocument } from './fulfilment-job-files.ts'

export type ReadDocument = { document: FulfilmentJobDocument; content: Uint8Array }
export type DocumentSource = Pick<ObjectStore, 'getStream'>

/** A file is missing, or differs from what the manifest says about it. */
export class DocumentFileFault extends Error {
  override readonly name = 'DocumentFileFault'
}

/** Limits for reading ahead while a document is being sent: documents, and their bytes together. */
const aheadMax = { documents: 4, bytes: 16 * 1024 * 1024 }

/**
 * Reads documents in order, a few ahead. Checks each whole document against its SHA-256 before it yields it. Throws
 * DocumentFileFault for a document that is missing or differs. Reads under way end with the generator or with the
 * signal.
 */
export async function* readDocuments(
  objects: DocumentSource,
  documents: readonly FulfilmentJobDocument[],
  signal: AbortSignal,
): AsyncGenerator<ReadDocument> {
  const ended = new AbortController()
  const signals = AbortSignal.any([signal, ended.signal])
  const ahead: { document: FulfilmentJobDocument; content: Promise<Uint8Array> }[] = []
  let aheadBytes = 0
  let next = 0

  function readOn(): void {
    for (;;) {
      const document = documents[next]
      if (!document || ahead.length >= aheadMax.documents) return
      if (ahead.length > 0 && aheadBytes + document.bytes > aheadMax.bytes) return
      const content = readDocument(objects, document, signals)
      // The promise is awaited later, or never if an earlier document fails.
      content.catch(() => {})
      ahead.push({ document, content })
      aheadBytes += document.bytes
      next += 1
    }
  }

  try {
    readOn()
    for (let first = ahead.shift(); first; first = ahead.shift()) {
      const content = await first.content
      aheadBytes -= first.document.bytes
      readOn()
      yield { document: first.document, content }
    }
  } finally {
    ended.abort()
  }
}

async function readDocument(
  objects: DocumentSource,
  { documentId, sha256, bytes }: FulfilmentJobDocument,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const object = await objects.getStream(documentKey(sha256), { signal })
  if (!object) throw new DocumentFileFault(`The file of document ${documentId} is missing`)
  if (object.bytes !== bytes) {
    object.stream.destroy()
    throw new DocumentFileFault(`The file of document ${documentId} has another length`)
  }
  const content = Buffer.allocUnsafe(bytes)
  const hash = createHash('sha256')
  let length = 0
  for await (const chunk of object.stream) {
    hash.update(chunk)
    if (length + chunk.length <= bytes) content.set(chunk, length)
    length += chunk.length
  }
  if (length !== bytes || hash.digest('hex') !== sha256) {
    throw new DocumentFileFault(`The file of document ${documentId} differs from its SHA-256`)
  }
  return content
}
