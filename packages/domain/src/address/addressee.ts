import type { Address } from './address.ts'

/** The recipient of a letter and the address. */
export type Addressee = { recipientName: string; address: Address }

/** Returns the addressee of a letter: the operator's correction if there is one, otherwise the submitted addressee. */
export function addresseeOf({
  standardParams: { recipientName, address },
  addressOverride,
}: {
  standardParams: Addressee
  addressOverride: Addressee | null
}): Addressee {
  return addressOverride ?? { recipientName, address }
}
