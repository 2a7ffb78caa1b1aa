/** `rawPacket` has what arrived last, of which `bytesParsed` are valid. */
export type ClientError = Error & { code?: string; rawPacket?: Buffer; bytesParsed?: number }

/**
 * Returns whether the HTTP server refused a request for its method. What follows a body, or is no request at all, is not
 * a method. A known method may begin an unknown one.
 */
export function isUnknownMethod({ code, rawPacket, bytesParsed }: ClientError): boolean {
  if (code !== 'HPE_INVALID_METHOD' || !rawPacket) return false
  return targetAtStartOf(rawPacket.subarray(bytesParsed)) !== undefined
}

/** RFC 9112, 2.2: empty lines may precede a request. A method is any token. */
export function targetAtStartOf(packet: Buffer): string | undefined {
  return /^[\r\n]*[\w!#$%&'*+.^`|~-]+ ([^ \r\n]+)/.exec(packet.toString('latin1'))?.[1]
}
