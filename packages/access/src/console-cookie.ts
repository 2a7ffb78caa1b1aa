import type { IncomingHttpHeaders } from 'node:http'
import { isOverHttps } from './is-over-https.ts'

/**
 * Returns the value of a cookie of the console; undefined if the browser sent none, or one with other characters than
 * those of base64url.
 */
export function readCookie(
  headers: IncomingHttpHeaders,
  { name, charactersMax }: { name: string; charactersMax: number },
): string | undefined {
  const sent = nameOf(name, { isSecure: isOverHttps(headers) })
  const found = new RegExp(`(?:^|;\\s*)${sent}=([\\w-]+)`).exec(headers.cookie ?? '')?.[1]
  return found !== undefined && found.length <= charactersMax ? found : undefined
}

/**
 * Returns the Set-Cookie header of a cookie that no script can read and that only pages of the console send. With
 * `isSecure` the browser sends it over https only. 0 seconds delete it.
 */
export function renderCookie(
  name: string,
  value: string,
  { seconds, isSecure }: { seconds: number; isSecure: boolean },
): string {
  const flags = `Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`
  return `${nameOf(name, { isSecure })}=${value}; ${flags}`
}

/**
 * Over https, a browser accepts a `__Host-` cookie from this origin alone, so no other host of the domain can set one.
 */
function nameOf(name: string, { isSecure }: { isSecure: boolean }): string {
  return isSecure ? `__Host-${name}` : name
}
