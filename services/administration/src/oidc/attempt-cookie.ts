import type { IncomingHttpHeaders } from 'node:http'
import { readCookie, renderCookie } from '@despatch/access/console-cookie'
import { isOverHttps } from '@despatch/access/is-over-https'
import { sealedBox } from '@despatch/access/sealed-box'
import type { OidcAttempt } from './provider.ts'

const name = 'despatch-oidc'
const charactersMax = 1_024
/** How long an operator may take at the provider. */
const seconds = 15 * 60

/** Keeps a sign-in in a sealed cookie of the browser that began it, until the browser returns from the provider. */
export type AttemptCookie = {
  /** Returns the Set-Cookie header. */
  keep(headers: IncomingHttpHeaders, attempt: OidcAttempt): string
  /** Returns the attempt of this browser; undefined if there is none, or it has expired. */
  find(headers: IncomingHttpHeaders): OidcAttempt | undefined
  /** Returns the Set-Cookie header that deletes the cookie. */
  drop(headers: IncomingHttpHeaders): string
}

export function createAttemptCookie({
  secretKeyHex,
  previousKeysHex,
  now,
}: {
  secretKeyHex: string
  previousKeysHex: readonly string[]
  now: () => Date
}): AttemptCookie {
  const box = sealedBox(secretKeyHex, { previousKeysHex, purpose: 'OpenID sign-in' })

  return {
    keep(headers, attempt) {
      const content = JSON.stringify({ ...attempt, endsAt: now().getTime() + seconds * 1000 })
      const value = box.seal(content).toString('base64url')
      return renderCookie(name, value, { seconds, isSecure: isOverHttps(headers) })
    },

    find(headers) {
      const value = readCookie(headers, { name, charactersMax })
      if (value === undefined) return undefined
      try {
        const { endsAt, ...attempt } = JSON.parse(box.unseal(Buffer.from(value, 'base64url')))
        return now().getTime() < endsAt ? attempt : undefined
      } catch {
        return undefined
      }
    },

    drop: (headers) => renderCookie(name, '', { seconds: 0, isSecure: isOverHttps(headers) }),
  }
}
