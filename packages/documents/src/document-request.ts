import type { PrintableAddress } from '@despatch/domain/address/address'
import type { Finding } from '@despatch/domain/preflight/finding'
import type { RuleSetId } from '@despatch/domain/preflight/rule-set'
import type { HandlingInstruction } from '@despatch/domain/print-job/params'
import type { Plex } from './composed-document.ts'
import type { MediaType } from './file-signature.ts'

export type DocumentFile = { fileId: string; mediaType: MediaType; bytes: Uint8Array }

/** What a document is made of, and by which terms. Equal requests make equal bytes. */
export type DocumentRequest = {
  /** The document's only time. */
  at: Date
  plex: Plex
  pagesMax: number
  ruleSet: RuleSetId
  /** Printed in the insertion marks; absent where a letter is only tried out. */
  documentId?: string
  marks: boolean
  files: readonly DocumentFile[]
} & (
  | {
      production: 'letter'
      title: string
      printableAddress: PrintableAddress
      handlingInstruction?: HandlingInstruction
      addressPlacement: 'own-page' | 'first-page'
    }
  | { production: 'as-supplied'; suppliedFileKey: string }
)

/** Everything that was found, in the order of the rules, and the document, which a refused letter does not have. */
export type MadeDocument = {
  findings: readonly Finding[]
  document?: {
    pdf: Uint8Array
    sha256: string
    pages: number
    sheets: number
    weightGrams: number
  }
}

/** Told as the work goes on, so that somebody outside can end it and say at which file it was. */
export type DocumentProgress = {
  inspecting(fileIndex: number): void
  working(fileIndex?: number): void
}

export const unwatched: DocumentProgress = { inspecting: () => {}, working: () => {} }

/** True when the address is printed on the first page of the files: it has to be a page of a PDF. */
export function printsOnFirstPage(request: DocumentRequest): boolean {
  return (
    request.production === 'letter' &&
    request.addressPlacement === 'first-page' &&
    request.files[0]?.mediaType === 'application/pdf'
  )
}
