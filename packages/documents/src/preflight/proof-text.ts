import { widthInEm } from '../draw-text.ts'
import { type FontSubset, subsetFor } from '../font-subset.ts'

/** Returns the font of proofs: the subset of the typeface with every character of the findings' sentences. */
export function proofFont(): FontSubset {
  return subsetFor(['×'])
}

/** Replaces each character that the font lacks with a question mark, because file ids come from the consumer. */
export function printable(text: string): string {
  const { glyphs } = proofFont()
  return [...text].map((character) => (glyphs.has(character) ? character : '?')).join('')
}

/** Returns the width of a text in type of size 1. */
export function proofWidth(text: string): number {
  return widthInEm(proofFont(), text)
}

/** Breaks a text into lines of at most a width, given in type of size 1. A word that is too long is split. */
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
