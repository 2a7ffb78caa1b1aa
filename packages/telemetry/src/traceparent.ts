/** A place in a trace, as W3C Trace Context writes it. */
export type Traceparent = { traceId: string; spanId: string; isSampled: boolean }

const shape =
  /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
const sampledFlag = 1

/**
 * Reads a `traceparent` header (W3C Trace Context, level 1). Undefined when it is absent, given twice or not as the
 * recommendation says: such a request begins a trace of its own.
 */
export function parseTraceparent(header: unknown): Traceparent | undefined {
  if (typeof header !== 'string') return undefined
  const [, version, traceId, spanId, flags, more] = shape.exec(header) ?? []
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined
  // later versions may say more, the first may not
  if (version === '00' && more !== undefined) return undefined
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & sampledFlag) !== 0 }
}

/** The header for whoever is to continue the trace, in the first version. */
export function renderTraceparent({ traceId, spanId, isSampled }: Traceparent): string {
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`
}
