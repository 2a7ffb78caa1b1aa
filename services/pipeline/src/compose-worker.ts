import { createHash } from 'node:crypto'
import { composeLetter } from '@despatch/documents/compose-letter'
import { composeSupplied } from '@despatch/documents/compose-supplied'
import type { MediaType } from '@despatch/documents/file-signature'
import { inspectFile } from '@despatch/documents/inspect-file'
import type { DocumentFile, DocumentRequest, DocumentResult } from './compose-document.ts'

/** Runs in a thread of its own: the event loop of the pipeline stays free to renew leases and locks. */
export default async function composeInThread(request: DocumentRequest): Promise<DocumentResult> {
  const files = request.production === 'letter' ? request.files : [request.file]
  for (const file of files) {
    const inspection = await inspectFile(withMediaType(file))
    if (inspection.kind === 'unsound') {
      return { kind: 'refused', reason: `File ${file.fileId}: ${inspection.reason}` }
    }
  }
  const composed = await compose(request)
  if (composed.kind === 'refused') return { kind: 'refused', reason: composed.reason }
  const { pdf, pages, sheets } = composed
  if (pages > request.pagesMax) {
    return {
      kind: 'refused',
      reason: `The document has ${pages} pages; at most ${request.pagesMax} are allowed`,
    }
  }
  const sha256 = createHash('sha256').update(pdf).digest('hex')
  return { kind: 'composed', pdf, sha256, pages, sheets }
}

function compose(request: DocumentRequest) {
  const { plex } = request
  if (request.production === 'as-supplied') {
    return composeSupplied({ file: withMediaType(request.file), plex })
  }
  const { printableAddress, handlingInstruction, title, at, files } = request
  return composeLetter({
    printableAddress,
    ...(handlingInstruction && { handlingInstruction }),
    pages: files.map(withMediaType),
    title,
    at,
    plex,
  })
}

function withMediaType({ fileId, mediaType, bytes }: DocumentFile) {
  return { fileId, mediaType: mediaType as MediaType, bytes }
}
