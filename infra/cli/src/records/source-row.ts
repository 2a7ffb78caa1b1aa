/** A row of a source, ready to be sent. */
export type SourceRow = {
  /** One line of JSON, without its end. */
  line: Buffer
  /** As it stands in the source, for the file of rejects. */
  original: readonly (string | Buffer)[]
  /** What is wrong with it that only the reader of the source can say. */
  fault?: string
}

/** How a source is read: its rows, a few at a time, and what the cells of an original are called. */
export type SourceReader = { rows: AsyncIterable<SourceRow[]>; columns(): readonly string[] }
