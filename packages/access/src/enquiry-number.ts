import { hashWith } from './keyed-hash.ts'

/**
 * Returns the function that hashes a number for the enquiry audit, with the key of enquiries. Pass normalised numbers;
 * otherwise two spellings of one number have two hashes.
 */
export function numberHasher(secretKeyHex: string): (number: string) => Buffer {
  return hashWith(Buffer.from(secretKeyHex, 'hex'))
}
