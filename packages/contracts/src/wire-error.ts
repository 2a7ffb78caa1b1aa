/** An error response, ready to send. */
export type WireError = {
  status: number
  body: unknown
  headers?: Readonly<Record<string, string>>
}
