import { openPages } from '@despatch/documents/render/open-pages'

/** Returns the text of each page of a PDF as a person reads it, with the lines joined by spaces. */
export async function readText(pdf: Uint8Array): Promise<string[]> {
  const opened = await openPages(pdf)
  if (opened.kind === 'unreadable') throw new Error(opened.why)
  using pages = opened
  return Array.from({ length: pages.count }, (_, index) => {
    const looked = pages.look(index + 1, ({ calls, handle }) => {
      const text = calls._FPDFText_LoadPage(handle)
      const codes = Array.from({ length: calls._FPDFText_CountChars(text) }, (_, at) =>
        calls._FPDFText_GetUnicode(text, at),
      )
      calls._FPDFText_ClosePage(text)
      return String.fromCodePoint(...codes)
    })
    if (looked.kind === 'unreadable') throw new Error(looked.why)
    return looked.seen.replaceAll(/\s+/g, ' ')
  })
}
