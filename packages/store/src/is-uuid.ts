const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Returns whether a text from a request can be an id. For any other text, PostgreSQL would fail the query. */
export function isUuid(text: string): boolean {
  return uuid.test(text)
}
