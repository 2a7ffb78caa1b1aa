import { randomBytes } from 'node:crypto'
import type { Addressee } from '@despatch/domain/address/addressee'
import {
  searchHashBits,
  searchPeriodBits,
  searchPeriodOf,
} from '@despatch/domain/print-job/key-time'
import {
  correlationWord,
  personalWords,
  referenceWord,
  type SearchWord,
  searchMeanings,
} from '@despatch/domain/print-job/search-words'
import { findSearchKey, insertSearchKey } from '@despatch/store/access/search-key'
import type { Db } from '@despatch/store/database'
import { keyedHash } from './keyed-hash.ts'
import { type SealedBox, sealedBox } from './sealed-box.ts'

/**
 * The terms of a letter, as signed 64-bit integers in decimal. Each is the period in which the letter was accepted and,
 * in the lowest 43 bits, the keyed hash of a word. Terms of one period are adjacent in the index: new letters change few
 * of its pages, however many letters there are.
 */
export type SearchTerms = {
  /** The term of the correlation id, which stays when the letter is purged. */
  lasting: string
  /** The terms of personal data. */
  personal: string[]
}

type SearchedLetter = {
  /** Key of the print job: a UUID that begins with the time in milliseconds, in 48 bits. */
  key: string
  correlationId: string
  businessIdentifier: string | null | undefined
  /** As submitted and, if operators corrected it, as corrected. */
  addressees: readonly Addressee[]
}

export type SearchHasher = {
  termsOf(letter: SearchedLetter): SearchTerms
  /** Returns the hashes of each meaning of a search text. A letter matches if it has all words of one of them. */
  meaningsOf(text: string): string[][]
  /** Returns the hash of a business identifier. */
  referenceHashOf(reference: string): string
}

/** Returns the hasher, or undefined if no key of this process unseals its key. Throws if the database fails. */
export type SearchHasherSource = () => Promise<SearchHasher | undefined>

const searchKeyPurpose = 'search key'
const retryMs = 10_000

/** Returns the box of the key of search terms. It also unseals a key that the previous keys sealed. */
export function searchKeyBox(
  secretKeyHex: string,
  previousKeysHex: readonly string[] = [],
): SealedBox {
  return sealedBox(secretKeyHex, { previousKeysHex, purpose: searchKeyPurpose })
}

/**
 * Returns the source of the hasher. The first process to call it creates the key. The key is read once. If it cannot be
 * unsealed, it is tried again every 10 s, and letters are accepted without their terms meanwhile.
 */
export function searchHasherSource({
  db,
  box,
  now = () => performance.now(),
}: {
  db: Db
  box: SealedBox
  now?: () => number
}): SearchHasherSource {
  let known: SearchHasher | undefined
  let retryAtMs = Number.NEGATIVE_INFINITY
  return async () => {
    if (known || now() < retryAtMs) return known
    const keySealed = await findOrCreate(db, box)
    retryAtMs = now() + retryMs
    known = unsealed(box, keySealed)
    return known
  }
}

async function findOrCreate(db: Db, box: SealedBox): Promise<Buffer> {
  const found = await findSearchKey(db)
  if (found) return found
  await insertSearchKey(db, box.seal(randomBytes(32).toString('hex')))
  return (await findSearchKey(db))!
}

function unsealed(box: SealedBox, keySealed: Buffer): SearchHasher | undefined {
  try {
    return createSearchHasher(box.unseal(keySealed))
  } catch {
    return undefined
  }
}

/** Returns the hasher with a key of 64 hexadecimal characters. */
export function createSearchHasher(searchKeyHex: string): SearchHasher {
  const keyed = keyedHash(searchKeyHex, 'search term')
  const hashOf = ({ kind, text }: SearchWord) =>
    keyed(`${kind} ${text}`).readBigUInt64BE() >> BigInt(searchPeriodBits)
  return {
    termsOf: ({ key, correlationId, businessIdentifier: reference, addressees }) => {
      const period = BigInt(searchPeriodOf(key)) << BigInt(searchHashBits)
      const termOf = (word: SearchWord) => (period | hashOf(word)).toString()
      return {
        lasting: termOf(correlationWord(correlationId)),
        personal: personalWords({ reference, addressees }).map(termOf),
      }
    },
    meaningsOf: (text) =>
      searchMeanings(text).map((words) => words.map((word) => hashOf(word).toString())),
    referenceHashOf: (reference) => hashOf(referenceWord(reference)).toString(),
  }
}
