import type { OidcSignInResponse } from '@despatch/contracts/administration/session'
import { ask } from './api.ts'

/** Where the tab keeps the address that the reader wanted, while an OpenID provider shows its own pages. */
const nextKey = 'despatch-next'

/**
 * Begins a sign-in and leaves for the OpenID provider, from which the reader returns to `next`. With `again`, the
 * provider authenticates even a person who is signed in there.
 */
export async function goToProvider(next: string, { again = false } = {}): Promise<void> {
  const body = again ? { again } : undefined
  const { authorizationUrl } = await ask<OidcSignInResponse>('POST', '/oidc-sign-ins', body)
  sessionStorage.setItem(nextKey, next)
  location.assign(authorizationUrl)
}

/** Returns the address that the reader wanted, once. */
export function takeNext(): string {
  const next = sessionStorage.getItem(nextKey) ?? '/'
  sessionStorage.removeItem(nextKey)
  return next
}
