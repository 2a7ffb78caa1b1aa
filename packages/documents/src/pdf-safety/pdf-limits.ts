/** How much one PDF may require of a reader. Each number is the largest allowed value. */
export type PdfLimits = {
  fileBytesMax: number
  /** Indirect objects, including those that a later one replaces. */
  objectsMax: number
  /** Numbers, names, strings, references, arrays and dictionaries in all objects together. */
  valuesMax: number
  /** Depth of nested arrays and dictionaries. PDFium reads no deeper. */
  nestingMax: number
  /** Bytes of one literal or hexadecimal string as written. */
  stringBytesMax: number
  /** Entries of all cross-reference tables and streams together. */
  referenceEntriesMax: number
  /** Bytes between objects that belong to none. */
  strayBytesMax: number
  /** Decoded bytes of all object and cross-reference streams together. */
  structureBytesMax: number
  /** Decoded bytes of one stream, also between two filters of a chain. A4 at 600 dpi in four colours has 133 MiB. */
  streamBytesMax: number
  /** Decoded bytes of all streams together. */
  streamsBytesMax: number
  /** Chained filters of one stream. */
  filtersMax: number
  /** Width times height of one image. */
  imagePixelsMax: number
  pagesMax: number
  /** Levels of the page tree. */
  pageTreeDepthMax: number
  /** Decoded bytes of all page contents, forms, patterns and glyphs that are read. */
  contentBytesMax: number
  /** Forms, patterns and glyphs within each other. */
  drawingDepthMax: number
  /**
   * What one page draws, with its forms, patterns, glyphs and annotations as often as they are drawn. See DrawingWork.
   */
  pageOperatorsMax: number
  pageGroupsMax: number
  pageClipsMax: number
  pageDashesMax: number
  pageTilesMax: number
  pagePixelsMax: number
  pageAreaMax: number
  pageStepsMax: number
  /** Findings that are reported. */
  findingsMax: number
}

const MiB = 1024 * 1024

/** Sufficient for any letter that a person would post. A file at each limit is checked within 10 s and 512 MiB. */
export const pdfLimits: PdfLimits = {
  fileBytesMax: 100 * MiB,
  objectsMax: 200_000,
  valuesMax: 1_000_000,
  nestingMax: 64,
  stringBytesMax: MiB,
  referenceEntriesMax: 500_000,
  strayBytesMax: 1_024,
  structureBytesMax: 32 * MiB,
  streamBytesMax: 160 * MiB,
  streamsBytesMax: 512 * MiB,
  filtersMax: 4,
  imagePixelsMax: 100_000_000,
  pagesMax: 10_000,
  pageTreeDepthMax: 64,
  contentBytesMax: 128 * MiB,
  drawingDepthMax: 20,
  pageOperatorsMax: 500_000,
  pageGroupsMax: 500,
  pageClipsMax: 5_000,
  pageDashesMax: 500_000,
  pageTilesMax: 200_000,
  pagePixelsMax: 500_000_000,
  pageAreaMax: 5_000,
  pageStepsMax: 250_000_000,
  findingsMax: 50,
}
