/**
 * Returns whether a text, decoded, cannot be part of a path: one of its segments is `.` or `..`. Clients and proxies
 * remove these segments (RFC 3986, 5.2.4), also if they are percent-encoded, so what has such a name could not be
 * addressed. Many programs decode `/` first and take a backslash for it, so both divide segments.
 */
export function hasDotSegment(text: string): boolean {
  return text.split(/[/\\]/).some((segment) => segment === '.' || segment === '..')
}
