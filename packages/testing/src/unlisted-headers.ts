/** Headers that say how a response is sent, and need no description. */
export const headersOfTransfer: ReadonlySet<string> = new Set(
  'cache-control connection content-disposition content-length content-type date keep-alive transfer-encoding vary x-content-type-options'.split(
    ' ',
  ),
)

/** Returns the headers of a response that the `responses` of its operation in an OpenAPI document do not list. */
export function unlistedHeaders(
  { status, headers }: { status: number; headers: object },
  responses: Record<string, { headers?: object }>,
): string[] {
  const listed = Object.keys(responses[status]?.headers ?? {}).map((name) => name.toLowerCase())
  return Object.keys(headers).filter(
    (name) => !headersOfTransfer.has(name) && !listed.includes(name),
  )
}
