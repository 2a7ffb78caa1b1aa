import { mailFormatOf, mailFormats } from './mail-format.ts'
import { type PrintedOn, weightBandIndexOf, weightBandsGrams } from './weight.ts'

/** A document of a print run that has no sequence number yet. */
export type UnnumberedDocument = {
  documentId: string
  sheets: number
  /** Letters at the start of the postcode, in upper case; null without a postcode. */
  area: string | null
}

/** The document that was numbered last. Numbering continues after it, wherever it began. */
export type LastNumbered = {
  sequence: number
  /** Position of its fulfilment job in the print run, from 1. */
  fulfilmentJob: number
  /** Documents in its fulfilment job so far. */
  jobDocuments: number
  sheets: number
}

type NumberedDocument = { documentId: string; sequence: number; fulfilmentJob: number }

export const fulfilmentJobDocumentsMax = 2_500

/** Sorts the documents of a print run as a factory requires: by weight band, postcode area, document number. */
export function sortForPrinting<Document extends UnnumberedDocument>(
  documents: readonly Document[],
  printedOn: PrintedOn,
): Document[] {
  const sortable = documents.map((document) => ({
    document,
    band: bandOf(document.sheets, printedOn),
    number: Number(document.documentId.slice(1)),
  }))
  sortable.sort(
    (one, other) =>
      one.band - other.band ||
      compareAreas(one.document.area, other.document.area) ||
      one.number - other.number,
  )
  return sortable.map(({ document }) => document)
}

/**
 * Numbers sorted documents without gaps after the last numbered one, and splits them into fulfilment jobs of one weight
 * band and at most 2,500 documents. Numbering the sorted documents page by page returns the same result as numbering
 * all at once.
 */
export function numberDocuments(
  last: LastNumbered | undefined,
  documents: readonly UnnumberedDocument[],
  printedOn: PrintedOn,
): NumberedDocument[] {
  let { sequence, fulfilmentJob, jobDocuments } = last ?? nothingNumbered
  let band = last && bandOf(last.sheets, printedOn)
  return documents.map(({ documentId, sheets }) => {
    const bandBefore = band
    band = bandOf(sheets, printedOn)
    const isOfAnother = band !== bandBefore || jobDocuments >= fulfilmentJobDocumentsMax
    sequence += 1
    fulfilmentJob += isOfAnother ? 1 : 0
    jobDocuments = isOfAnother ? 1 : jobDocuments + 1
    return { documentId, sequence, fulfilmentJob }
  })
}

const nothingNumbered = { sequence: 0, fulfilmentJob: 0, jobDocuments: 0 }

/** A band ends where a mail format or a weight band ends. */
function bandOf(sheets: number, printedOn: PrintedOn): number {
  const format = mailFormats.indexOf(mailFormatOf(sheets))
  return format * (weightBandsGrams.length + 1) + weightBandIndexOf(sheets, printedOn)
}

/** Sorts documents without a postcode last: `~` comes after all letters. */
function compareAreas(one: string | null, other: string | null): number {
  const [before, after] = [one ?? '~', other ?? '~']
  return Number(before > after) - Number(before < after)
}
