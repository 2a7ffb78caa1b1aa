import type { SealedBox } from '@despatch/access/sealed-box'
import { type CallbackDestination, readDestination } from '@despatch/domain/callback/destination'
import type { TakenCallback } from '@despatch/store/callback/take'

type SealedDestination = Pick<
  TakenCallback,
  'destinationSealed' | 'clearTarget' | 'authenticationSealed'
>

/** Where a callback goes. Throws when it cannot be unsealed. */
export type OpenDestination = (sealed: SealedDestination) => CallbackDestination

/** `authentication` opens what older print jobs have: a target in the clear, and credentials sealed by themselves. */
export function createOpenDestination(boxes: {
  destination: Pick<SealedBox, 'unseal'>
  authentication: Pick<SealedBox, 'unseal'>
}): OpenDestination {
  return ({ destinationSealed, clearTarget, authenticationSealed }) => {
    if (destinationSealed) return readDestination(boxes.destination.unseal(destinationSealed))
    if (clearTarget === null) throw new Error('a callback has no destination')
    return {
      target: clearTarget,
      ...(authenticationSealed && {
        authenticationHeader: boxes.authentication.unseal(authenticationSealed),
      }),
    }
  }
}

const secretSegmentCharsMin = 16

/**
 * What of a destination may be a credential: the whole header, what follows its scheme, the values of the query, and long
 * segments of the path.
 */
export function credentialsIn(destination: CallbackDestination | undefined): string[] {
  if (!destination) return []
  const { target, authenticationHeader = '' } = destination
  const [address = '', query = ''] = target.split(/[?#]/)
  const segments = address.split('/').slice(3)
  return [
    authenticationHeader,
    authenticationHeader.replace(/^\S+\s+/, ''),
    ...query.split('&').map((pair) => pair.replace(/^[^=]*=/, '')),
    ...new URLSearchParams(query).values(),
    ...segments.filter(({ length }) => length >= secretSegmentCharsMin),
  ].filter((text) => text !== '')
}
