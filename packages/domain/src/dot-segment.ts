/**
 * Returns whether a name cannot be a segment of a path. Clients and proxies remove these segments (RFC 3986, 5.2.4), also
 * if they are percent-encoded, so what has such a name could not be addressed.
 */
export function isDotSegment(name: string): boolean {
  return name === '.' || name === '..'
}
