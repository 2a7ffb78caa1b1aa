import { expect, test } from 'vitest'
import { type SourceFile, textFiles } from './tree.ts'

/** Phrases that a reader has to decode, and the words to use instead. */
const phrases = {
  'all the same': 'still',
  anew: 'again',
  'as it were': 'say what it is',
  'asked back': 'is being recalled',
  'at one go': 'at once',
  'comes? to (?:its|their|an) end': 'ends',
  'for want of': 'without, because there is no',
  'goes? forth': 'continues',
  'in (?:his|her|its|their|the) stead': 'on behalf of',
  'in vain': 'without success',
  "in \\S+'s stead": 'on behalf of',
  'is nobody': 'belongs to no one, is unknown',
  '(?:is|are) told (?!apart)': 'receives, is informed of',
  'record of changes': 'audit log',
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

const literal = /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g

/** Messages, labels, titles of tests and SQL. Text between JSX tags has no quotes, so all of such a file is read. */
function literalsOf({ path, text }: SourceFile): SourceFile {
  const code = text.replace(comment, '')
  const read = path.endsWith('.tsx') ? [code] : (code.match(literal) ?? [])
  return { path, text: read.join('\u0000') }
}

const programs = textFiles.filter(
  ({ path }) => /\.(tsx?|mjs|js)$/.test(path) && !path.startsWith('test/guards/'),
)
// docs/faults.md quotes the names of scenarios and rules.
const quoted = /^test\/(?:faults|recovery\/harness)\//
const literals = programs.filter(({ path }) => !quoted.test(path)).map(literalsOf)
const documents = textFiles
  .filter(({ path }) => path.endsWith('.md'))
  .map(({ path, text }) => ({ path, text: text.replace(codeOrHeading, '') }))
const sqlComments = textFiles
  .filter(({ path }) => path.endsWith('.sql'))
  .map(({ path, text }) => ({ path, text: (text.match(/^ *--.*$/gm) ?? []).join('\u0000') }))
const prose = [...programs.map(commentsOf), ...sqlComments, ...literals, ...documents]

test.each(Object.entries(phrases))('no comment, text or document says "%s": %s', (phrase) => {
  // A phrase may continue in the next line of a comment.
  const pattern = new RegExp(String.raw`\b${phrase.replaceAll(' ', String.raw`[\s*/]+`)}\b`, 'i')
  const found = prose.flatMap(({ path, text }) => {
    const match = pattern.exec(text)
    return match ? [`${path}: ${text.slice(Math.max(0, match.index - 40), match.index + 60)}`] : []
  })

  expect(found).toEqual([])
})
