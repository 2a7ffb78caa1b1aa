/**
 * Lets callers share what was read at most `ageMsMax` ago, or is being read: however many look, the source is asked
 * seldom. A failure is not kept.
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
