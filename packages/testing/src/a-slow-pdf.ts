/**
 * A small valid PDF of one page that takes seconds to paint, and is within every limit but that of time: every few bytes
 * ask for another transparent layer of the whole page.
 */
export function aSlowPdf({ layers = 48 } = {}): Uint8Array {
  const paint = '0 0 595 841 re f'
  const content = '/G gs/X Do '.repeat(layers)
  return Buffer.from(
    `%PDF-1.7\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n` +
      `2 0 obj\n<</Type/Pages/Kids[3 0 R]/Count 1>>\nendobj\n` +
      `3 0 obj\n<</Type/Page/Parent 2 0 R/MediaBox[0 0 595.28 841.89]/Contents 4 0 R/Resources` +
      `<</XObject<</X 5 0 R>>/ExtGState<</G<</BM/Luminosity>>>>>>>>\nendobj\n` +
      `4 0 obj\n<</Length ${content.length}>>\nstream\n${content}\nendstream\nendobj\n` +
      `5 0 obj\n<</Type/XObject/Subtype/Form/BBox[0 0 595 841]/Group<</S/Transparency/I true>>` +
      `/Length ${paint.length}>>\nstream\n${paint}\nendstream\nendobj\n` +
      `trailer\n<</Size 6/Root 1 0 R>>\nstartxref\n0\n%%EOF\n`,
    'latin1',
  )
}
