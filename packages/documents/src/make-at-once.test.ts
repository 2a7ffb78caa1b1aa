import { describe, expect, test } from 'vitest'
import { type Random, seededRandom } from '../test/fuzz/random.ts'
import { aPdf } from '../test/sample-files.ts'
import type { DocumentRequest, MadeDocument } from './document-request.ts'
import { makeAtOnce } from './make-at-once.ts'
import { makeDocument } from './make-document.ts'

type Letter = Extract<DocumentRequest, { production: 'letter' }>

const aLetter = (changed: Partial<Letter> = {}): Letter => ({
  production: 'letter',
  at: new Date('2026-03-02T09:00:00Z'),
  plex: 'duplex',
  pagesMax: 5,
  ruleSet: 'standard-2026-11',
  documentId: 'D100000001',
  marks: true,
  title: 'LETTER',
  printableAddress: {
    line1: '1 High Street',
    postcode: 'SN3 4RD',
    recipientLine1: 'Ms A Person',
    recipientLine2: '',
    dps: '1A',
  },
  addressPlacement: 'own-page',
  files: [],
  ...changed,
})
/** A thread does not say what its documents have in common. */
function withoutBeginning(made: MadeDocument | undefined) {
  if (!made?.document) return made
  const { beginning: _, ...document } = made.document
  return { ...made, document }
}
const addressedTo = (recipientLine1: string) =>
  aLetter({ printableAddress: { ...aLetter().printableAddress, recipientLine1 } })

describe('a letter without files is the same as from a thread', () => {
  test.each<[what: string, letter: Letter]>([
    ['with marks', aLetter()],
    ['without marks', aLetter({ marks: false })],
    ['simplex', aLetter({ plex: 'simplex' })],
    ['on the first page of no file', aLetter({ addressPlacement: 'first-page' })],
    ['with a handling instruction', aLetter({ handlingInstruction: { line1: 'Do not bend' } })],
    ['in Latin', addressedTo('Siôn Šťastný')],
    ['refused for a character', addressedTo('李')],
    ['refused for its pages', aLetter({ pagesMax: 0 })],
    ['refused for both', { ...addressedTo('李'), pagesMax: 0 }],
  ])('%s', async (_, letter) => {
    expect(withoutBeginning(makeAtOnce(letter))).toEqual(await makeDocument(letter))
  })

  test('with any texts', async () => {
    for (let index = 0; index < 100; index++) {
      const letter = anyLetter(seededRandom(2, index))
      expect({ index, made: withoutBeginning(makeAtOnce(letter)) }).toEqual({
        index,
        made: await makeDocument(letter),
      })
    }
  })
})

test.each<[what: string, request: DocumentRequest]>([
  [
    'has files',
    aLetter({ files: [{ fileId: 'a', mediaType: 'application/pdf', bytes: await aPdf() }] }),
  ],
  ['needs its own subset of the typeface', addressedTo('Київ')],
  ['is produced as supplied', { ...aLetter(), production: 'as-supplied', suppliedFileKey: 'pdf' }],
])('a letter that %s is left to a thread', (_, request) => {
  expect(makeAtOnce(request)).toBeUndefined()
})

function anyLetter(random: Random): Letter {
  const characters = "ABCDEFGHIJ klmnopqrst 0123456789 .,-'&/() éêŵŷŁß€"
  const line = () =>
    Array.from({ length: random.below(46) }, () => random.pick([...characters])).join('')
  return aLetter({
    documentId: `D${100_000 + random.below(1_000_000_000)}`,
    title: line(),
    marks: random.below(4) > 0,
    handlingInstruction: { line1: line(), line2: line(), line7: line() },
    printableAddress: {
      recipientLine1: line(),
      recipientLine2: line(),
      line1: line(),
      line3: line(),
      line5: line(),
      postcode: random.pick(['SN3 4RD', 'BX1 1LT', 'none']),
      dps: random.pick(['1A', '9Z', null]),
    },
  })
}
