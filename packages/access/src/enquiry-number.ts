import { keyedHash } from './keyed-hash.ts'

/**
 * Makes the hash under which enquiries about one number are kept. Give the number as normalised, or the same number
 * written in two ways counts as two.
 */
export function numberHasher(secretKeyHex: string): (number: string) => Buffer {
  return keyedHash(secretKeyHex, 'enquiry-number')
}
