/** Fetches. An error says what the request was for and why it failed, because `fetch failed` alone does not help. */
export async function fetchOrExplain(
  what: string,
  url: string | URL,
  init: RequestInit,
): Promise<Response> {
  try {
    return await fetch(url, init)
  } catch (cause) {
    throw new Error(`${what}: ${reasonOf(cause)}`, { cause })
  }
}

/** Returns the message of an error, or of its more informative cause. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0])
  if (error.message === 'fetch failed' && error.cause) return reasonOf(error.cause)
  return error.message
}
