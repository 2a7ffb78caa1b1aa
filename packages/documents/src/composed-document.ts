export type Plex = 'simplex' | 'duplex'

/** A print-ready document. */
export type ComposedDocument = { pdf: Uint8Array; pages: number; sheets: number }

/** Returns the number of sheets. Duplex prints two pages on each. */
export function countSheets(pages: number, plex: Plex): number {
  return plex === 'duplex' ? Math.ceil(pages / 2) : pages
}
