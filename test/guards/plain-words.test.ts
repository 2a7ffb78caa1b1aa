import { expect, test } from 'vitest'
import { type SourceFile, textFiles } from './tree.ts'

/** Phrases that a reader has to decode, and the words to use instead. */
const phrases = {
  anew: 'again',
  'as it were': 'say what it is',
  'at one go': 'at once',
  'comes? to (?:its|their|an) end': 'ends',
  'for want of': 'without, because there is no',
  'goes? forth': 'continues',
  'in (?:his|her|its|their|the) stead': 'on behalf of',
  'in vain': 'without success',
  'is nobody': 'belongs to no one, is unknown',
  '(?:is|are) told (?!apart)': 'receives, is informed of',
  '(?:after|of|once|than|with|within) so many': 'after this many, within a number of',
  'what(?:ever)? becomes of': 'the outcome of',
  'what stands': 'what is',
  whoever: 'the caller, the worker, the operator',
}

const comment = /\/\*[\s\S]*?\*\/|(?:^[ \t]*\/\/.*\n)+/gm
// Other pages link to headings by their words.
const codeOrHeading = /^```[\s\S]*?^```|^#.*$/gm

function commentsOf({ path, text }: SourceFile): SourceFile {
  return { path, text: (text.match(comment) ?? []).join('\u0000') }
}

const comments = textFiles
  .filter(({ path }) => /\.(ts|mjs|js)$/.test(path) && !path.startsWith('test/guards/'))
  .map(commentsOf)
const documents = textFiles
  .filter(({ path }) => path.endsWith('.md'))
  .map(({ path, text }) => ({ path, text: text.replace(codeOrHeading, '') }))

test.each(Object.entries(phrases))('no comment or document says "%s": %s', (phrase) => {
  // A phrase may go on in the next line of a comment.
  const pattern = new RegExp(String.raw`\b${phrase.replaceAll(' ', String.raw`[\s*/]+`)}\b`, 'i')
  const found = [...comments, ...documents].flatMap(({ path, text }) => {
    const match = pattern.exec(text)
    return match ? [`${path}: ${text.slice(Math.max(0, match.index - 40), match.index + 60)}`] : []
  })

  expect(found).toEqual([])
})
