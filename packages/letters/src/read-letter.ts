import type { DocumentFile } from '@despatch/documents/document-request'
import type { AbsentFile } from '@despatch/documents/draft-letter'
import type { MediaType } from '@despatch/documents/file-signature'
import type { LetterToDraw } from '@despatch/documents/letter-proof'
import { planDocument } from '@despatch/documents/plan-document'
import { addresseeOf } from '@despatch/domain/address/addressee'
import { makePrintableAddress } from '@despatch/domain/address/printable-address'
import { commentOf, type Finding } from '@despatch/domain/preflight/finding'
import { type RuleId, rules } from '@despatch/domain/preflight/rules'
import { documentKey } from '@despatch/object-store/keys'
import type { ObjectStore } from '@despatch/object-store/object-store'
import { readPinnedFile } from '@despatch/object-store/read-pinned-file'
import type { ProofSource } from '@despatch/store/print-job/proof'
import type { LetterTemplates } from './letter-templates.ts'
import { typesetFile, typesetFileId } from './make-letter.ts'

/** Total bytes of the files of one shown letter that are in memory at the same time. */
const bytesTogetherMax = 100 * 1024 * 1024

/** Reads what a proof of a print job shows: its document, or the files that it would be made of. */
export async function readLetter(
  { objects, templates }: { objects: ObjectStore; templates: Pick<LetterTemplates, 'typeset'> },
  source: ProofSource,
  signal?: AbortSignal,
): Promise<LetterToDraw> {
  const { files, absent } = await readFiles(objects, source, signal)
  // a document is shown as it is
  const typeset = source.document ? undefined : await typesetFile(templates, source, { signal })
  if (typeset && 'file' in typeset) files.unshift(typeset.file)
  else if (typeset) absent.unshift({ fileId: typesetFileId, detail: typeset.finding.detail })
  const request = planDocument(
    source,
    // the findings of the letter are stored
    {
      printableAddress: makePrintableAddress(addresseeOf(source)),
      addressFindings: [],
      postFindings: [],
    },
    files,
  )
  const document = await readDocument(objects, source, signal)
  return { request, absent, findings: source.findings, ...(document && { document }) }
}

async function readDocument(
  objects: ObjectStore,
  { document, unstoredPdf }: ProofSource,
  signal: AbortSignal | undefined,
) {
  if (!document) return undefined
  if (unstoredPdf) return unstoredPdf
  const object = await objects.get(documentKey(document.sha256), {
    bytesMax: document.bytes,
    signal,
  })
  if (!object) throw new Error('A document is missing')
  return object.bytes
}

/** A file that was refused by itself is not opened again. Its finding is shown instead. */
async function readFiles(
  objects: ObjectStore,
  { files: listed, findings }: ProofSource,
  signal: AbortSignal | undefined,
) {
  const files: DocumentFile[] = []
  const absent: AbsentFile[] = []
  let room = bytesTogetherMax
  for (const { fileId, sha256, bytes, mediaType, pinned } of listed) {
    const refusal = refusalOfFile(findings, fileId)
    if (refusal || !pinned || !sha256 || bytes === null || bytes > room) {
      absent.push({ fileId, detail: refusal ?? `File ${fileId} is not shown.` })
      continue
    }
    room -= bytes
    const content = await readPinnedFile(objects, { sha256, bytes }, signal)
    files.push({ fileId, mediaType: mediaType as MediaType, bytes: content })
  }
  return { files, absent }
}

/** Returns why a file is refused by itself, or undefined. Such a file is not opened again. */
export function refusalOfFile(findings: readonly Finding[], fileId: string): string | undefined {
  return commentOf(findings.filter((finding) => isOfFile(finding, fileId)))
}

/** Rules P1nn to P3nn apply to single files. */
function isOfFile({ fileId, rule }: Finding, id: string): boolean {
  return fileId === id && (rules[rule as RuleId]?.number ?? 'P1') < 'P4'
}
