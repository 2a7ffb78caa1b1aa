import type { SealedBox } from '@despatch/access/sealed-box'
import { type CallbackDestination, readDestination } from '@despatch/domain/callback/destination'
import type { TakenCallback } from '@despatch/store/callback/lease'

type SealedDestination = Pick<
  TakenCallback,
  'destinationSealed' | 'clearTarget' | 'authenticationSealed'
>

/** Returns where a callback goes. Throws if it cannot be unsealed. */
export type OpenDestination = (sealed: SealedDestination) => CallbackDestination

/**
 * Returns a function that opens destinations. `authentication` opens those of older print jobs, which store the target
 * in plain text and seal only the credentials.
 */
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
 * Returns the parts of a destination that may be credentials: the whole authentication header, the text after its
 * scheme, the values of the query, and long path segments.
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
