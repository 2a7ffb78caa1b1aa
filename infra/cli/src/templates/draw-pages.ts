import { unwatched } from '@despatch/documents/document-request'
import { letterProofPage } from '@despatch/documents/letter-proof'
import type { PrintedLetter } from '@despatch/templates/try-letter'

/** Draws the pages of a letter as PNG, with the zones and the findings of preflight. */
export async function drawPages({ document, ...letter }: PrintedLetter): Promise<Uint8Array[]> {
  const toDraw = { ...letter, absent: [], ...(document && { document: document.pdf }) }
  const pages: Uint8Array[] = []
  for (;;) {
    const page = await letterProofPage(toDraw, pages.length + 1, unwatched)
    if (!page) return pages
    pages.push(page)
  }
}
