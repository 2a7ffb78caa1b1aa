import { typeset } from '@despatch/templates/typeset'
import { byEffort } from '@despatch/testing/effort'
import { expect, test } from 'vitest'
import { aLetter, aTemplate, withLetter } from './a-letter.ts'
import { otherEncoding, type QrCode, readQrCodes } from './read-qr-codes.ts'

const starter = await aTemplate('starter')

/** The bytes that versions 1 to 20 hold, from the tables of ISO/IEC 18004. */
const capacities: Record<string, readonly number[]> = {
  L: [
    17, 32, 53, 78, 106, 134, 154, 192, 230, 271, 321, 367, 425, 458, 520, 586, 644, 718, 792, 858,
  ],
  M: [
    14, 26, 42, 62, 84, 106, 122, 152, 180, 213, 251, 287, 331, 362, 412, 450, 504, 560, 624, 666,
  ],
  Q: [11, 20, 32, 46, 60, 74, 86, 108, 130, 151, 177, 203, 241, 258, 292, 322, 364, 394, 442, 482],
  H: [7, 14, 24, 34, 44, 58, 64, 84, 98, 119, 137, 155, 177, 194, 220, 250, 280, 310, 338, 382],
}

/** Typesets a QR code of each text, one on a page. */
function print(level: string, texts: readonly string[]) {
  const source = texts.map(
    (text) => `#qr-code("${text}", level: "${level}", size: 60mm, alt: "A QR code")`,
  )
  const files = withLetter(starter, source.join('\n#pagebreak()\n'))
  return typeset(aLetter(starter, { files, pagesMax: 20 }))
}

async function printed(level: string, texts: readonly string[]): Promise<QrCode[]> {
  const letter = print(level, texts)
  if ('faults' in letter) throw new Error(JSON.stringify(letter.faults))
  return readQrCodes(letter.pdf)
}

const textOf = (length: number) => 'abcdefgh?ijklmnop&'.repeat(50).slice(0, length)

test.each(Object.entries(capacities))(
  'level %s: each version is read, and has the modules of another encoder',
  async (level, lengths) => {
    const tried = byEffort({ landing: [1, 7, 10, 20], full: lengths.map((_, at) => at + 1) })
    const texts = tried.map((version) => textOf(lengths[version - 1]!))
    const modules = await Promise.all(texts.map((text) => otherEncoding(text, level)))
    expect(await printed(level, texts)).toEqual(
      texts.map((text, at) => ({
        text,
        level,
        version: tried[at],
        unusedCorrection: 1,
        modules: modules[at],
      })),
    )
  },
)

test('the shortest version that holds the text is used', async () => {
  const texts = [1, 14, 15, 180, 181, 666].map(textOf)
  const versions = (await printed('M', texts)).map(({ version }) => version)
  expect(versions).toEqual([1, 1, 2, 9, 10, 20])
})

test('a text is in UTF-8, and its length counted in bytes', async () => {
  const texts = ['Tŷ Hafan, £12.50', 'Ŵ'.repeat(7), 'Ŵ'.repeat(8), '€ 日本 😀']
  const codes = await printed('M', texts)
  expect(codes.map(({ text, version }) => [text, version])).toEqual([
    [texts[0], 2],
    [texts[1], 1],
    [texts[2], 2],
    [texts[3], 2],
  ])
})

test.each<[what: string, source: string, message: RegExp]>([
  [
    'a text of 667 bytes',
    `#qr-code("${textOf(667)}", alt: "A QR code")`,
    /the text of the QR code is too long: it has 667 bytes/,
  ],
  ['a code without alt', '#qr-code("text")', /a QR code must have an alt/],
])('%s is refused at its line', (_what, source, message) => {
  const letter = typeset(aLetter(starter, { files: withLetter(starter, source) }))
  expect(letter).toEqual({
    faults: [{ place: 'letter.typ', line: 2, message: expect.stringMatching(message) }],
  })
})
