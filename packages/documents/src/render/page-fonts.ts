import type { OpenPage } from './open-pages.ts'
import type { PageObject } from './page-objects.ts'

export type PageFont = { name: string; isEmbedded: boolean }

const invisible = 3
const nameBytesMax = 128

/** Returns the fonts that a page prints with, without duplicates. Text that is never painted needs no font. */
export function listFonts({ calls }: OpenPage, objects: readonly PageObject[]): PageFont[] {
  const fonts = new Set<number>()
  for (const { handle, type } of objects) {
    if (type !== 'text' || calls._FPDFTextObj_GetTextRenderMode(handle) === invisible) continue
    fonts.add(calls._FPDFTextObj_GetFont(handle))
  }
  fonts.delete(0)
  return [...fonts].map((font) => ({
    name: nameOf(calls, font),
    isEmbedded: calls._FPDFFont_GetIsEmbedded(font) === 1,
  }))
}

function nameOf(calls: OpenPage['calls'], font: number): string {
  const address = calls.wasmExports.malloc(nameBytesMax)
  const length = calls._FPDFFont_GetBaseFontName(font, address, nameBytesMax)
  const end = address + Math.min(Math.max(0, length - 1), nameBytesMax)
  const name = length > nameBytesMax ? '' : Buffer.from(calls.HEAPU8.slice(address, end)).toString()
  calls.wasmExports.free(address)
  return name
}
