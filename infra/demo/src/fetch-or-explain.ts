/** Fetches, and says of a failure what it was about and why: `fetch failed` alone helps nobody. */
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

/** The message of an error, or of the one behind it that tells more. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0])
  if (error.message === 'fetch failed' && error.cause) return reasonOf(error.cause)
  return error.message
}
