import { PDFDocument } from 'pdf-lib'

const a4 = [595.28, 841.89] as const

/**
 * Returns several PDF files as one. For duplex each begins on a front side: an odd number of pages is followed by an
 * empty page.
 */
export async function printStreamOf(
  files: readonly Uint8Array[],
  { isDuplex }: { isDuplex: boolean },
): Promise<Uint8Array> {
  const stream = await PDFDocument.create()
  for (const file of files) {
    const source = await PDFDocument.load(file)
    for (const page of await stream.copyPages(source, source.getPageIndices())) stream.addPage(page)
    if (isDuplex && stream.getPageCount() % 2 === 1) stream.addPage([...a4])
  }
  return stream.save()
}
