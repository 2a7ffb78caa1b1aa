import type { IncomingHttpHeaders } from 'node:http'

/** Whether the browser asked over https, as the proxy in front says. Who lies about it spoils nobody's cookie but their own. */
export function isOverHttps(headers: IncomingHttpHeaders): boolean {
  const [protocol = ''] = [headers['x-forwarded-proto']].flat()[0]?.split(',') ?? []
  return protocol.trim().toLowerCase() === 'https'
}
