/** A position in a trace, as in W3C Trace Context. */
type Traceparent = { traceId: string; spanId: string; isSampled: boolean }

const shape =
  /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
const sampledFlag = 1

/**
 * Parses a `traceparent` header (W3C Trace Context, level 1). Returns undefined if it is absent, repeated or invalid;
 * such a request begins a new trace.
 */
export function parseTraceparent(header: unknown): Traceparent | undefined {
  if (typeof header !== 'string') return undefined
  const [, version, traceId, spanId, flags, more] = shape.exec(header) ?? []
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined
  // Later versions may have more fields; version 00 may not.
  if (version === '00' && more !== undefined) return undefined
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & sampledFlag) !== 0 }
}

/** Returns the header that continues the trace, in version 00. */
export function renderTraceparent({ traceId, spanId, isSampled }: Traceparent): string {
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`
}
