export type Plex = 'simplex' | 'duplex'

/** A print-ready document. */
export type ComposedDocument = { pdf: Uint8Array; pages: number; sheets: number }

/** A refusal is about what was sent, in a sentence for a person that tells nothing of its content. */
export type Composition =
  | ({ kind: 'composed' } & ComposedDocument)
  | { kind: 'refused'; fileId?: string; reason: string }

/** Sheets of paper: duplex puts two pages on each. */
export function countSheets(pages: number, plex: Plex): number {
  return plex === 'duplex' ? Math.ceil(pages / 2) : pages
}
