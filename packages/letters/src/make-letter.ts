import type { Composers } from '@despatch/composer/composers'
import type { ThreadUse } from '@despatch/composer/threads'
import type { DocumentFile, MadeDocument } from '@despatch/documents/document-request'
import type { MediaType } from '@despatch/documents/file-signature'
import { type DocumentTerms, planDocument } from '@despatch/documents/plan-document'
import type { PrintableAddress } from '@despatch/domain/address/address'
import type { Addressee } from '@despatch/domain/address/addressee'
import { type PrintedAddressee, printAddressee } from '@despatch/domain/address/printable-address'
import { documentKey } from '@despatch/object-store/keys'
import type { ObjectStore } from '@despatch/object-store/object-store'
import { readPinnedFile } from '@despatch/object-store/read-pinned-file'
import type { Made } from '@despatch/store/print-job/print-jobs'
import type { StepFile } from '@despatch/store/print-job/steps'

/** The terms of a letter and its files, all of them pinned. A file whose content is given is not read. */
export type LetterToMake = DocumentTerms & {
  files: readonly (Pick<StepFile, 'fileId' | 'sha256' | 'bytes' | 'mediaType'> & {
    content?: Uint8Array | undefined
  })[]
}

export type MadeLetter = Pick<PrintedAddressee, 'printableAddress' | 'producedAs'> & {
  made: MadeDocument
}

/**
 * Checks a letter by every rule and makes its document for an addressee. A refused letter has no document. Rejects with
 * errors that the letter did not cause.
 */
export async function makeLetter(
  { objects, makeDocument }: { objects: ObjectStore } & Pick<Composers, 'makeDocument'>,
  letter: LetterToMake,
  addressee: Addressee,
  use: ThreadUse = {},
): Promise<MadeLetter> {
  const printed = printAddressee(addressee, letter.standardParams.despatchMethod)
  const files: DocumentFile[] = []
  for (const file of letter.files) files.push(await readPinned(objects, file, use.signal))
  const made = await makeDocument(planDocument(letter, printed, files), use)
  const { printableAddress, producedAs } = printed
  return { printableAddress, producedAs, made }
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
