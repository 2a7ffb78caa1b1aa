import type { Composers } from '@despatch/composer/composers'
import type { ThreadUse } from '@despatch/composer/threads'
import type { DocumentFile, MadeDocument } from '@despatch/documents/document-request'
import type { MediaType } from '@despatch/documents/file-signature'
import { type DocumentTerms, planDocument } from '@despatch/documents/plan-document'
import type { PrintableAddress } from '@despatch/domain/address/address'
import type { Addressee } from '@despatch/domain/address/addressee'
import { type PrintedAddressee, printAddressee } from '@despatch/domain/address/printable-address'
import type { Finding } from '@despatch/domain/preflight/finding'
import { documentKey } from '@despatch/object-store/keys'
import type { ObjectStore } from '@despatch/object-store/object-store'
import { readPinnedFile } from '@despatch/object-store/read-pinned-file'
import type { Made } from '@despatch/store/print-job/print-jobs'
import type { StepFile } from '@despatch/store/print-job/steps'
import type { LetterTemplates, TemplateLetter } from './letter-templates.ts'

/** The terms of a letter and its files, all of them pinned. A file whose content is given is not read. */
export type LetterToMake = DocumentTerms &
  Omit<TemplateLetter, 'template'> & {
    files: readonly (Pick<StepFile, 'fileId' | 'sha256' | 'bytes' | 'mediaType'> & {
      content?: Uint8Array | undefined
    })[]
  }

export type MakeLetterEffects = {
  objects: ObjectStore
  templates: Pick<LetterTemplates, 'typeset'>
} & Pick<Composers, 'makeDocument'>

export type MadeLetter = Pick<PrintedAddressee, 'printableAddress' | 'producedAs'> & {
  made: MadeDocument
}

/**
 * Checks a letter by every rule and makes its document for an addressee. A refused letter has no document. Rejects with
 * errors that the letter did not cause.
 */
export async function makeLetter(
  { objects, makeDocument, templates }: MakeLetterEffects,
  letter: LetterToMake,
  addressee: Addressee,
  use: ThreadUse = {},
): Promise<MadeLetter> {
  const printed = printAddressee(addressee, letter.standardParams.despatchMethod)
  const { printableAddress, producedAs } = printed
  const files: DocumentFile[] = []
  const typeset = await typesetFile(templates, letter, use)
  if (typeset && 'finding' in typeset) {
    return { printableAddress, producedAs, made: { findings: [typeset.finding] } }
  }
  if (typeset) files.push(typeset.file)
  for (const file of letter.files) files.push(await readPinned(objects, file, use.signal))
  const made = await makeDocument(planDocument(letter, printed, files), use)
  return { printableAddress, producedAs, made }
}

/** The id of such a file. */
export const typesetFileId = 'letter'

/** Returns the letter of a template as a file, or why it cannot be made. Undefined: it is not made from a template. */
export async function typesetFile(
  templates: Pick<LetterTemplates, 'typeset'>,
  { template, ...letter }: Omit<TemplateLetter, 'template'> & { template: string | null },
  use?: ThreadUse,
): Promise<{ file: DocumentFile } | { finding: Finding } | undefined> {
  if (template === null) return undefined
  const typeset = await templates.typeset({ template, ...letter }, use)
  if ('finding' in typeset) return typeset
  return { file: { fileId: typesetFileId, mediaType: 'application/pdf', bytes: typeset.pdf } }
}

async function readPinned(
  objects: ObjectStore,
  { sha256, bytes, fileId, mediaType, content }: LetterToMake['files'][number],
  signal: AbortSignal | undefined,
): Promise<DocumentFile> {
  return {
    fileId,
    mediaType: mediaType as MediaType,
    bytes: content ?? (await readPinnedFile(objects, { sha256: sha256!, bytes: bytes! }, signal)),
  }
}

/** Returns what to store of a letter: its document under the hash of its content, and the values for the print job. */
export function letterToKeep(
  printableAddress: PrintableAddress,
  { pdf, sha256, beginning, pages, sheets }: NonNullable<MadeDocument['document']>,
) {
  const object = {
    key: documentKey(sha256),
    bytes: pdf,
    contentType: 'application/pdf',
    ...(beginning && { beginning }),
  }
  const made: Made = {
    printableAddress,
    documentSha256: sha256,
    documentBytes: pdf.length,
    documentPages: pages,
    documentSheets: sheets,
  }
  return { object, made }
}
