import type { SealedBox } from '@despatch/access/sealed-box'
import { type CallbackDestination, readDestination } from '@despatch/domain/callback/destination'
import type { TakenCallback } from '@despatch/store/callback/lease'

/** Returns where a callback goes. Throws if it cannot be unsealed. */
export type OpenDestination = (
  sealed: Pick<TakenCallback, 'destinationSealed'>,
) => CallbackDestination

/** Returns a function that opens destinations. */
export function createOpenDestination(box: Pick<SealedBox, 'unseal'>): OpenDestination {
  return ({ destinationSealed }) => {
    if (!destinationSealed) throw new Error('a callback has no destination')
    return readDestination(box.unseal(destinationSealed))
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
