import { describe, expect, test } from 'vitest'
import { type Random, seededRandom } from '../test/fuzz/random.ts'
import { aLetterRequest, type LetterRequest } from '../test/letters.ts'
import { aPdf } from '../test/sample-files.ts'
import type { DocumentRequest, MadeDocument } from './document-request.ts'
import { makeAtOnce } from './make-at-once.ts'
import { makeDocument } from './make-document.ts'

/** A thread does not say what its documents have in common. */
function withoutBeginning(made: MadeDocument | undefined) {
  if (!made?.document) return made
  const { beginning: _, ...document } = made.document
  return { ...made, document }
}
const addressedTo = (recipientLine1: string) =>
  aLetterRequest({ printableAddress: { ...aLetterRequest().printableAddress, recipientLine1 } })

describe('a letter without files is the same as from a thread', () => {
  test.each<[what: string, letter: LetterRequest]>([
    ['with marks', aLetterRequest()],
    ['without marks', aLetterRequest({ marks: false })],
    ['simplex', aLetterRequest({ plex: 'simplex' })],
    ['on the first page of no file', aLetterRequest({ addressPlacement: 'first-page' })],
    [
      'with a handling instruction',
      aLetterRequest({ handlingInstruction: { line1: 'Do not bend' } }),
    ],
    ['in Latin', addressedTo('Siôn Šťastný')],
    ['refused for a character', addressedTo('李')],
    ['refused for its pages', aLetterRequest({ pagesMax: 0 })],
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
    aLetterRequest({ files: [{ fileId: 'a', mediaType: 'application/pdf', bytes: await aPdf() }] }),
  ],
  ['needs its own subset of the typeface', addressedTo('Київ')],
  [
    'is produced as supplied',
    { ...aLetterRequest(), production: 'as-supplied', suppliedFileKey: 'pdf' },
  ],
])('a letter that %s is left to a thread', (_, request) => {
  expect(makeAtOnce(request)).toBeUndefined()
})

function anyLetter(random: Random): LetterRequest {
  const characters = "ABCDEFGHIJ klmnopqrst 0123456789 .,-'&/() éêŵŷŁß€"
  const line = () =>
    Array.from({ length: random.below(46) }, () => random.pick([...characters])).join('')
  return aLetterRequest({
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
