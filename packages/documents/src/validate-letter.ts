import { type Finding, findingsToReport, isRefused } from '@despatch/domain/preflight/finding'
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

/** A letter whose files have not been inspected. Their types are detected from their bytes. */
export type LetterToValidate = {
  request: DocumentRequest
  files: readonly Omit<DocumentFile, 'mediaType'>[]
  /** Other findings about the files, from the virus scan. */
  findings: readonly Finding[]
}

/**
 * Checks a letter as the pipeline does, in two steps: first each file by itself, then, if nothing refuses those, their
 * content and the letter.
 */
export async function validateLetter(
  { request, files, findings }: LetterToValidate,
  progress: DocumentProgress = unwatched,
): Promise<MadeDocument> {
  const structures = files.map(({ bytes }, index) => {
    progress.working(index)
    return readStructure(bytes)
  })
  progress.workingOnLetter()
  // As in quarantine, a file that already has a finding gets no others.
  const judged = new Set(findings.map(({ fileId }) => fileId))
  const found = findingsToReport([
    ...findings,
    ...files.flatMap(({ fileId }, index) =>
      judged.has(fileId) ? [] : findingsOfStructure(fileId, structures[index]!),
    ),
  ])
  if (isRefused(found)) return { findings: found }

  const known = files.map((file, index) => ({ ...file, mediaType: structures[index]!.mediaType! }))
  const made = await makeDocument({ ...request, files: known }, progress)
  return { ...made, findings: findingsToReport([...found, ...made.findings]) }
}
