import type { PrintableAddress } from '@despatch/domain/address/address'
import type { Finding } from '@despatch/domain/preflight/finding'
import type { RuleSetId } from '@despatch/domain/preflight/rule-set'
import type { HandlingInstruction } from '@despatch/domain/print-job/params'
import type { Plex } from './composed-document.ts'
import type { MediaType } from './file-signature.ts'
import type { SharedBeginning } from './one-page-pdf.ts'

export type DocumentFile = { fileId: string; mediaType: MediaType; bytes: Uint8Array }

/** What a document is made from, and on which terms. Equal requests produce equal bytes. */
export type DocumentRequest = {
  /** The only time in the document. */
  at: Date
  plex: Plex
  pagesMax: number
  ruleSet: RuleSetId
  /** Printed in the insertion marks. Absent for a dry run. */
  documentId?: string
  marks: boolean
  files: readonly DocumentFile[]
  /**
   * What is left out of the printed address, or probably wrong with it or with its class, judged by the contract.
   * Default: none.
   */
  addressFindings?: readonly Finding[]
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

/** All findings in the order of the rules, and the document, which is absent if the letter is refused. */
export type MadeDocument = {
  findings: readonly Finding[]
  document?: {
    pdf: Uint8Array
    sha256: string
    /** Absent if no other document begins with the same bytes. */
    beginning?: SharedBeginning
    pages: number
    sheets: number
    weightGrams: number
  }
}

/** Called as the work progresses, so that a watcher can end it and name the file it was working on. */
export type DocumentProgress = {
  /** Work on a file begins or continues. `pages`: how many pages it has, as far as is known. */
  working(fileIndex: number, pages?: number): void
  /** Work on the letter as a whole begins or continues. */
  workingOnLetter(): void
}

export const unwatched: DocumentProgress = { working: () => {}, workingOnLetter: () => {} }

/** Returns true if the address is printed on the first page of the files, which must then be a page of a PDF. */
export function printsOnFirstPage(request: DocumentRequest): boolean {
  return (
    request.production === 'letter' &&
    request.addressPlacement === 'first-page' &&
    request.files[0]?.mediaType === 'application/pdf'
  )
}
