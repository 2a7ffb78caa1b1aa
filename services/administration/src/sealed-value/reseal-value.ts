import { type SealedBox, type SealingKeys, sealedBoxesOf } from '@despatch/access/sealed-box'
import { searchKeyBox } from '@despatch/access/search-terms'
import { signingKeyBox } from '@despatch/access/signing-key'
import {
  callbackDestinationPurpose,
  callbackSecretPurpose,
} from '@despatch/domain/callback/destination'
import type { SealedColumn, StaleValue } from './sealed-values.ts'

/** Seals stale values with the current key of their place. */
export type Resealer = {
  /** Returns the first byte of every value that the current key of a place seals. */
  keyIdOf(place: SealedColumn): number
  /** Returns undefined if no key unseals the value. */
  reseal(place: SealedColumn, value: StaleValue): Buffer | undefined
}

/** Returns a resealer for values that previous keys have sealed. */
export function createResealer({
  signing,
  callbacks,
  search,
}: Record<'signing' | 'callbacks' | 'search', SealingKeys>): Resealer {
  const boxFor = sealedBoxesOf(callbacks)
  const destinations = boxFor(callbackDestinationPurpose)
  const boxes: Record<SealedColumn, SealedBox> = {
    'signing-key': signingKeyBox(signing.secretKeyHex, signing.previousKeysHex),
    'callback-secret': boxFor(callbackSecretPurpose),
    'test-callback': destinations,
    'print-job-callback': destinations,
    'search-key': searchKeyBox(search.secretKeyHex, search.previousKeysHex),
  }
  return {
    keyIdOf: (place) => boxes[place].keyId,
    reseal(place, { sealed }) {
      try {
        return boxes[place].seal(boxes[place].unseal(sealed))
      } catch {
        return undefined
      }
    },
  }
}
