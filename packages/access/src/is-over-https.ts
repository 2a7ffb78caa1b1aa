import type { IncomingHttpHeaders } from 'node:http'

/**
 * Returns whether the browser used https, according to the proxy in front. A caller that forges the header affects only
 * its own cookie.
 */
export function isOverHttps(headers: IncomingHttpHeaders): boolean {
  const [protocol = ''] = [headers['x-forwarded-proto']].flat()[0]?.split(',') ?? []
  return protocol.trim().toLowerCase() === 'https'
}
