import type { Address } from './address.ts'

/** To whom a letter goes, and where. */
export type Addressee = { recipientName: string; address: Address }

/** For whom a letter is made: as operations have corrected it, else as its consumer submitted it. */
export function addresseeOf({
  standardParams: { recipientName, address },
  addressOverride,
}: {
  standardParams: Addressee
  addressOverride: Addressee | null
}): Addressee {
  return addressOverride ?? { recipientName, address }
}
