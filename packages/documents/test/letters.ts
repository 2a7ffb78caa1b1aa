import { composeLetter } from '../src/compose-letter.ts'
import type { DocumentRequest } from '../src/document-request.ts'

type Letter = Parameters<typeof composeLetter>[0]

/** A letter without files to an address with a postal barcode. */
export const aLetter: Letter = {
  printableAddress: {
    recipientLine1: 'Ms Ann Other',
    recipientLine2: '',
    line1: '27 ACACIA AVENUE',
    line5: 'SWINDON',
    postcode: 'SN3 4RD',
    dps: '1A',
  },
  pages: [],
  title: 'Letter 1',
  at: new Date('2026-03-04T05:06:07.890Z'),
  documentId: 'D100001',
}

export type LetterRequest = Extract<DocumentRequest, { production: 'letter' }>

/** Returns a request for the same letter, by the rules that most contracts have. */
export function aLetterRequest(changed: Partial<LetterRequest> = {}): LetterRequest {
  const { printableAddress, title, at, documentId = '' } = aLetter
  return {
    production: 'letter',
    printableAddress,
    title,
    at,
    plex: 'duplex',
    pagesMax: 5,
    ruleSet: 'standard-2026-11',
    documentId,
    marks: true,
    addressPlacement: 'own-page',
    files: [],
    ...changed,
  }
}

/** Returns the PDF of the letter with a change. Throws if it is refused. */
export async function composedPdf(change: Partial<Letter> = {}): Promise<Uint8Array> {
  const composed = await composeLetter({ ...aLetter, ...change })
  if (composed.kind === 'refused') throw new Error(composed.reason)
  return composed.pdf
}
