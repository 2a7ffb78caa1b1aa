import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Address } from '../address/address.ts'
import { correlationWord, personalWords, searchMeanings } from './search-words.ts'

const address = (postcode: string): Address => ({
  unstructuredAddress: { line1: '1 High Street', postcode },
})

/** Returns the words of a letter to this recipient, as texts. */
const namesOf = (recipientName: string) =>
  personalWords({
    reference: null,
    addressees: [
      { recipientName, address: { internationalAddress: { line1: 'A', country: 'B' } } },
    ],
  }).map(({ text }) => text)

test.each([
  ['Mr John Smith', ['john', 'smith']],
  ["Ms. Siobhán O'Brien-Ó Neill", ['siobhan', 'obrien', 'o', 'neill']],
  ['O’BRIEN', ['obrien']],
  ['J.R. Hartley', ['jr', 'hartley']],
  ['ŁUKASZ GROẞ', ['lukasz', 'gross']],
  ['Søren Æbelø', ['soren', 'aebelo']],
  ['Zoe\u0308 and Zoë', ['zoe', 'and']],
  ['ﬁona ＢＲＯＷＮ', ['fiona', 'brown']],
  ['Ελένη ΟΔΟΣ', ['ελενη', 'οδος']],
  ['李 小龍', ['李', '小龍']],
  ['Acme (Widgets) Ltd., 3M', ['acme', 'widgets', 'ltd', '3m']],
  ['Mr', []],
  ['- & -', []],
  [
    Array.from({ length: 20 }, (_, index) => `w${index}`).join(' '),
    expect.objectContaining({ length: 16 }),
  ],
])('the words of %j are %j', (name, words) => {
  expect(namesOf(name)).toEqual(words)
})

test('a letter has the words of its reference and of all its addressees, without repetitions', () => {
  const submitted = { recipientName: 'Ms A Person', address: address('ab12cd') }
  const corrected = {
    recipientName: 'Ms A Newname',
    address: { structuredAddress: { organisationName: 'Person & Sons', postcode: 'AB1 2CE' } },
  }
  const bfpo = {
    recipientName: 'A',
    address: { bfpoAddress: { line1: 'A', bfpoNumber: 1, postcode: 'BF1 3AA' } },
  }

  expect(
    personalWords({ reference: 'case 1/a', addressees: [submitted, corrected, bfpo] }),
  ).toEqual([
    { kind: 'reference', text: 'CASE1/A' },
    { kind: 'name', text: 'a' },
    { kind: 'name', text: 'person' },
    { kind: 'postcode', text: 'AB1 2CD' },
    { kind: 'name', text: 'newname' },
    { kind: 'name', text: 'sons' },
    { kind: 'postcode', text: 'AB1 2CE' },
    { kind: 'postcode', text: 'BF1 3AA' },
  ])
  expect(personalWords({ reference: null, addressees: [] })).toEqual([])
})

const meaningsOf = (text: string) =>
  searchMeanings(text).map((words) => words.map((word) => `${word.kind} ${word.text}`).join(', '))

test.each([
  ['case-1', ['correlation-id case-1', 'reference CASE-1', 'name case, name 1']],
  ['Ann Smith', ['correlation-id Ann Smith', 'reference ANNSMITH', 'name ann, name smith']],
  ['ab1 2cd', ['correlation-id ab1 2cd', 'reference AB12CD', 'postcode AB1 2CD']],
  [
    ' Smith AB1 2CD',
    [
      'correlation-id  Smith AB1 2CD',
      'reference SMITHAB12CD',
      'name smith, name ab1, name 2cd',
      'name smith, postcode AB1 2CD',
    ],
  ],
  [
    'Smith ab12cd',
    [
      'correlation-id Smith ab12cd',
      'reference SMITHAB12CD',
      'name smith, name ab12cd',
      'name smith, postcode AB1 2CD',
    ],
  ],
  [
    'Smith AB1  2CD ',
    [
      'correlation-id Smith AB1  2CD ',
      'reference SMITHAB12CD',
      'name smith, name ab1, name 2cd',
      'name smith, postcode AB1 2CD',
    ],
  ],
  ['Mr', ['correlation-id Mr', 'reference MR']],
])('the search text %j can mean %j', (text, meanings) => {
  expect(meaningsOf(text)).toEqual(meanings)
})

/** Whether a search for the text finds the letter. */
function finds(text: string, letter: Parameters<typeof personalWords>[0], correlationId = 'none') {
  const words = [correlationWord(correlationId), ...personalWords(letter)]
  const has = new Set(words.map((word) => `${word.kind} ${word.text}`))
  return searchMeanings(text).some((meaning) =>
    meaning.every((word) => has.has(`${word.kind} ${word.text}`)),
  )
}

const latinName = fc
  .array(fc.stringMatching(/^[A-Za-zÀ-ÖØ-öø-ÿ'-]{1,12}$/), { minLength: 1, maxLength: 4 })
  .map((parts) => parts.join(' '))
  .filter((name) => namesOf(name).length > 0)

test('a name finds its letter: whole or one word of it, in any case, with or without accents', () => {
  fc.assert(
    fc.property(latinName, (recipientName) => {
      const letter = { reference: null, addressees: [{ recipientName, address: address('X') }] }
      const plain = recipientName.normalize('NFD').replaceAll(/\p{Mn}/gu, '')
      const spellings = [
        recipientName,
        recipientName.toUpperCase(),
        recipientName.toLowerCase(),
        recipientName.normalize('NFD'),
        plain,
        ...namesOf(recipientName),
        namesOf(recipientName).toReversed().join(' '),
      ]
      for (const spelling of spellings)
        expect([spelling, finds(spelling, letter)]).toEqual([spelling, true])
    }),
  )
})

test('any text can be a reference or correlation id, and finds its letter', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1, maxLength: 40, unit: 'binary' }), (text) => {
      expect(finds(text, { reference: null, addressees: [] }, text)).toBe(true)
      fc.pre(text.trim() !== '')
      expect(finds(text, { reference: text, addressees: [] })).toBe(true)
    }),
  )
})

test('a name with a postcode finds only letters that have both', () => {
  const letter = (recipientName: string, postcode: string) => ({
    reference: null,
    addressees: [{ recipientName, address: address(postcode) }],
  })

  expect(finds('smith ab1 2cd', letter('J Smith', 'AB12CD'))).toBe(true)
  expect(finds('smith ab1 2cd', letter('J Smith', 'AB12CE'))).toBe(false)
  expect(finds('smith ab1 2cd', letter('J Smyth', 'AB12CD'))).toBe(false)
})
