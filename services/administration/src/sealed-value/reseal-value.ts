import { type SealedBox, type SealedBoxOptions, sealedBox } from '@despatch/access/sealed-box'
import { searchKeyBox } from '@despatch/access/search-terms'
import { signingKeyBox } from '@despatch/access/signing-key'
import { callbackDestinationPurpose, writeDestination } from '@despatch/domain/callback/destination'
import {
  callbackAuthenticationPurpose,
  callbackSecretPurpose,
} from '@despatch/domain/callback/sealing'
import type { SealedColumn, StaleValue } from './sealed-values.ts'

/** Seals stale values with the current key. */
export type Resealer = {
  /** The first byte of every value that the current key seals. */
  keyId: number
  /** Returns undefined if no key unseals the value. */
  reseal(place: SealedColumn, value: StaleValue): Buffer | undefined
}

/** Returns a resealer for values that previous keys have sealed, and for callback destinations in plain text. */
export function createResealer(
  secretKeyHex: string,
  previousKeysHex: NonNullable<SealedBoxOptions['previousKeysHex']>,
): Resealer {
  const boxFor = (purpose: string) => sealedBox(secretKeyHex, { previousKeysHex, purpose })
  const destinations = boxFor(callbackDestinationPurpose)
  const authentications = boxFor(callbackAuthenticationPurpose)
  const boxes: Record<SealedColumn, SealedBox> = {
    'signing-key': signingKeyBox(secretKeyHex, previousKeysHex),
    'callback-secret': boxFor(callbackSecretPurpose),
    'test-callback': destinations,
    'print-job-callback': destinations,
    'search-key': searchKeyBox(secretKeyHex, previousKeysHex),
  }

  const textOf = (
    place: SealedColumn,
    { sealed, clearTarget, authenticationSealed }: StaleValue,
  ) => {
    if (sealed !== null) return boxes[place].unseal(sealed)
    if (clearTarget === null) throw new Error('Nothing to seal')
    return writeDestination({
      target: clearTarget,
      ...(authenticationSealed && {
        authenticationHeader: authentications.unseal(authenticationSealed),
      }),
    })
  }
  return {
    keyId: destinations.keyId,
    reseal(place, value) {
      try {
        return boxes[place].seal(textOf(place, value))
      } catch {
        return undefined
      }
    },
  }
}
