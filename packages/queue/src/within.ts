/**
 * Waits for the promise at most `ms` milliseconds, then rejects. Needed because the client of an unavailable carrier
 * queues commands instead of failing them.
 */
export async function within<Value>(ms: number, reading: Promise<Value>): Promise<Value> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`no answer in ${ms} ms`)), ms)
  try {
    return await Promise.race([reading, late])
  } finally {
    clearTimeout(timer)
  }
}
