import type { Addressee } from '../address/addressee.ts'
import { normalisePostcode } from '../address/postcode.ts'

/** A word by which a letter can be found. Words of different kinds differ even if their texts are equal. */
export type SearchWord = {
  kind: 'correlation-id' | 'reference' | 'postcode' | 'name'
  /** In normal form. */
  text: string
}

/** The words of one name that count. A recipient name of the interface has room for more. */
const wordsPerNameMax = 16

/** Left out, because they are in most names. */
const titles = new Set(['mr', 'mrs', 'miss', 'ms', 'mx', 'dr'])

/** Letters that Unicode does not decompose. */
const spelledOut: Readonly<Record<string, string>> = {
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ł: 'l',
  þ: 'th',
  ß: 'ss',
  ı: 'i',
}

/** Returns the word of a correlation id, which stays when a letter is purged. */
export function correlationWord(correlationId: string): SearchWord {
  return { kind: 'correlation-id', text: correlationId }
}

/**
 * Returns the words of the personal data of a letter, each once: its reference (business identifier), and of each
 * addressee the postcode and the words of recipient and organisation.
 */
export function personalWords({
  reference,
  addressees,
}: {
  reference: string | null | undefined
  addressees: readonly Addressee[]
}): SearchWord[] {
  const words = [...(reference ? [referenceWord(reference)] : []), ...addressees.flatMap(wordsOf)]
  return [...new Map(words.map((word) => [`${word.kind} ${word.text}`, word])).values()]
}

/**
 * Returns what a search text can mean. A letter is found if it has all words of one of the meanings: the correlation
 * id, the reference, the postcode, the name, or a name followed by a postcode.
 */
export function searchMeanings(text: string): SearchWord[][] {
  const written = text.trim()
  const postcode = postcodeWords(written)
  const names = postcode.length > 0 ? [] : nameWords(written)
  return [
    [correlationWord(text)],
    [referenceWord(written)],
    postcode,
    names,
    nameAndPostcode(written),
  ].filter((words) => words.length > 0)
}

function wordsOf({ recipientName, address }: Addressee): SearchWord[] {
  const names = nameWords(recipientName)
  if ('structuredAddress' in address) {
    const { organisationName, postcode } = address.structuredAddress
    return [...names, ...nameWords(organisationName ?? ''), ...postcodeWords(postcode ?? '')]
  }
  if ('unstructuredAddress' in address) {
    return [...names, ...postcodeWords(address.unstructuredAddress.postcode)]
  }
  if ('bfpoAddress' in address) {
    return [...names, ...postcodeWords(address.bfpoAddress.postcode ?? '')]
  }
  return names
}

/** Returns the word of a business identifier. Capitals and white space do not count. */
export function referenceWord(text: string): SearchWord {
  return { kind: 'reference', text: text.normalize('NFKC').toUpperCase().replaceAll(/\s/g, '') }
}

function postcodeWords(text: string): SearchWord[] {
  const postcode = normalisePostcode(text)
  return postcode === undefined ? [] : [{ kind: 'postcode', text: postcode }]
}

/**
 * The words of a name without accents and capitals, without titles. An apostrophe or full stop joins the characters
 * around it. Any other character that is no letter or digit separates words.
 */
function nameWords(name: string): SearchWord[] {
  const plain = name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[\u0300-\u036f`´‘’‚‛ʹʻʼʽˈ′‵'.]/g, '')
    .replaceAll(/[æœøđðłþßı]/g, (letter) => spelledOut[letter]!)
  const words = plain.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
  const telling = words.filter((word) => !titles.has(word)).slice(0, wordsPerNameMax)
  return telling.map((text) => ({ kind: 'name', text }))
}

/** The last one or two parts may be the postcode. */
function nameAndPostcode(text: string): SearchWord[] {
  const parts = text.split(/\s+/)
  for (const count of [2, 1]) {
    const postcode = postcodeWords(parts.slice(-count).join(''))
    const names = nameWords(parts.slice(0, -count).join(' '))
    if (postcode.length > 0 && names.length > 0) return [...names, ...postcode]
  }
  return []
}
