import type { IncomingHttpHeaders } from 'node:http'

/**
 * Where the browser says that a request comes from. 'unknown': the request does not say it, as with a program that is
 * no browser.
 */
type RequestOrigin = 'same' | 'other' | 'unknown'

/**
 * Returns whether a page of this origin made the request. Browsers send Sec-Fetch-Site over https and on loopback, and
 * Origin with every request that is not a GET or HEAD. A proxy may have replaced Host; X-Forwarded-Host then has the
 * host that the browser asked for. No page of another origin can set any of these headers.
 */
export function requestOrigin(headers: IncomingHttpHeaders): RequestOrigin {
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin' ? 'same' : 'other'
  const { origin } = headers
  if (origin === undefined) return 'unknown'
  const asked = headers['x-forwarded-host'] ?? headers.host
  const [host] = String(asked).split(',')
  return URL.parse(origin)?.host === host?.trim().toLowerCase() ? 'same' : 'other'
}
