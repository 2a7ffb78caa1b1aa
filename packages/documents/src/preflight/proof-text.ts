import { widthInEm } from '../draw-text.ts'
import { type FontSubset, subsetFor } from '../font-subset.ts'

/** What proofs are written in: the part of the typeface with every character of a finding's sentence. */
export function proofFont(): FontSubset {
  return subsetFor(['×'])
}

/** The text with a question mark for each character that the font lacks: file ids are of the consumer's making. */
export function printable(text: string): string {
  const { glyphs } = proofFont()
  return [...text].map((character) => (glyphs.has(character) ? character : '?')).join('')
}

/** The width of a text in type of size 1. */
export function proofWidth(text: string): number {
  return widthInEm(proofFont(), text)
}

/** Breaks a text into lines of a width, given in type of size 1; a word that is too long is cut. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ').flatMap((each) => cut(each, width))) {
    const longer = line === '' ? word : `${line} ${word}`
    if (proofWidth(longer) <= width) {
      line = longer
      continue
    }
    lines.push(line)
    line = word
  }
  return [...lines, line]
}

function cut(word: string, width: number): string[] {
  const parts: string[] = []
  let part = ''
  for (const character of word) {
    if (part !== '' && proofWidth(part + character) > width) {
      parts.push(part)
      part = ''
    }
    part += character
  }
  return [...parts, part]
}
