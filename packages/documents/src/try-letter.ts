import { asTold, type Finding, isRefused } from '@despatch/domain/preflight/finding'
import {
  type DocumentFile,
  type DocumentProgress,
  type DocumentRequest,
  type MadeDocument,
  unwatched,
} from './document-request.ts'
import { findingsOfStructure } from './file-findings.ts'
import { readStructure } from './file-structure.ts'
import { makeDocument } from './make-document.ts'

/** A letter whose files nobody has looked at yet: what they are follows from their bytes. */
export type LetterToTry = {
  request: DocumentRequest
  files: readonly Omit<DocumentFile, 'mediaType'>[]
  /** What else is known of the files, from whoever has scanned them. */
  findings: readonly Finding[]
}

/**
 * Judges a letter as the pipeline does, in its two steps: files as files first, and only when nothing refuses those, what is
 * in them and the letter.
 */
export async function tryLetter(
  { request, files, findings }: LetterToTry,
  progress: DocumentProgress = unwatched,
): Promise<MadeDocument> {
  const structures = files.map(({ bytes }, index) => {
    progress.inspecting(index)
    return readStructure(bytes)
  })
  progress.working()
  // Of a file with something against it already, nothing else is told, as in quarantine.
  const judged = new Set(findings.map(({ fileId }) => fileId))
  const found = asTold([
    ...findings,
    ...files.flatMap(({ fileId }, index) =>
      judged.has(fileId) ? [] : findingsOfStructure(fileId, structures[index]!),
    ),
  ])
  if (isRefused(found)) return { findings: found }

  const known = files.map((file, index) => ({ ...file, mediaType: structures[index]!.mediaType! }))
  const made = await makeDocument({ ...request, files: known }, progress)
  return { ...made, findings: asTold([...found, ...made.findings]) }
}
