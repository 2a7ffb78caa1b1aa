/**
 * Returns a function that shares one result among its callers: a read that is under way, or one from at most `ageMsMax`
 * ago. The source is read rarely, however many callers there are. A failure is not cached.
 */
export function shareRecent<Value>(
  read: () => Promise<Value>,
  ageMsMax: number,
): () => Promise<Value> {
  let recent: { value: Promise<Value>; readAt: number } | undefined
  return () => {
    const now = performance.now()
    if (recent && now - recent.readAt <= ageMsMax) return recent.value
    const current = { value: read(), readAt: now }
    recent = current
    current.value.catch(() => {
      if (recent === current) recent = undefined
    })
    return current.value
  }
}
