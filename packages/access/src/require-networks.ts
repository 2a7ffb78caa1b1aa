import type { Role } from '@despatch/domain/access/caller'
import { mayCallFrom } from '@despatch/domain/access/networks'
import { Problem } from '@despatch/domain/problem'
import type { Consumer } from '@despatch/store/access/consumers'

type Limited = Pick<Consumer, 'roles' | 'networks'>

/** Where a request comes from: the address of the caller, behind the trusted proxies. */
export type Source = { readonly ip: string }

/**
 * Returns whether the networks of a consumer include the source. The networks limit what it does as a consumer: all of
 * an account with no other role, and else what requires the role. So an operator or provider can sign in from
 * everywhere. Without a source, only a consumer without networks is accepted.
 */
export function isFromItsNetworks(
  { roles, networks }: Limited,
  source: Source | undefined,
  role?: Role,
): boolean {
  if (networks.length === 0) return true
  const isAsConsumer = role === 'consumer' || roles.every((each) => each === 'consumer')
  return !isAsConsumer || mayCallFrom(networks, source?.ip)
}

/**
 * Throws a Problem 'not-permitted' unless the networks of a consumer include the source. Call it once the credentials
 * were found right, so that it reveals nothing to a stranger.
 */
export function requireItsNetworks(
  consumer: Limited,
  source: Source | undefined,
  role?: Role,
): void {
  if (!isFromItsNetworks(consumer, source, role)) throw outsideItsNetworks()
}

export function outsideItsNetworks(): Problem {
  return new Problem(
    'not-permitted',
    'The address of the request is not among those of the consumer',
  )
}
