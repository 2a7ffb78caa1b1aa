import { composeLetter } from '../src/compose-letter.ts'

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

/** Returns the PDF of the letter with a change. Throws if it is refused. */
export async function composedPdf(change: Partial<Letter> = {}): Promise<Uint8Array> {
  const composed = await composeLetter({ ...aLetter, ...change })
  if (composed.kind === 'refused') throw new Error(composed.reason)
  return composed.pdf
}
