/** A row of a source, ready to send. */
export type SourceRow = {
  /** One line of JSON, without its line end. */
  line: Buffer
  /** As in the source, for the file of rejects. */
  original: readonly (string | Buffer)[]
  /** A violation that only the reader of the source can detect. */
  fault?: string
}

/** Reader of a source: its rows, a few at a time, and the column names of `original`. */
export type SourceReader = { rows: AsyncIterable<SourceRow[]>; columns(): readonly string[] }
