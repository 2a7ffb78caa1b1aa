/** An answer that refuses, ready to be sent. */
export type WireError = {
  status: number
  body: unknown
  headers?: Readonly<Record<string, string>>
}
