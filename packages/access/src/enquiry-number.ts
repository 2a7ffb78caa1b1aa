import { keyedHash } from './keyed-hash.ts'

/**
 * Returns the function that hashes a number for the enquiry audit. Pass normalised numbers; otherwise two spellings of
 * one number have two hashes.
 */
export function numberHasher(secretKeyHex: string): (number: string) => Buffer {
  return keyedHash(secretKeyHex, 'enquiry-number')
}
