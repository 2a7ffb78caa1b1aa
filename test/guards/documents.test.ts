import { expect, test } from 'vitest'
import { readText, type SourceFile, textFiles } from './tree.ts'

const lineCharactersMax = 120
const documents = textFiles.filter(({ path }) => path.endsWith('.md'))

test.each(documents)('no line of $path is too long to read', (document) => {
  const long = linesOf(document).filter(
    ({ line }) => [...line].length > lineCharactersMax && (isRow(line) || canBeWrapped(line)),
  )

  expect(long).toEqual([])
})

test.each([
  ['README.md', 130],
  ['ARCHITECTURE.md', 120],
])('%s is one page: at most %i lines', (path, linesMax) => {
  expect(readText(path).split('\n').length - 1).toBeLessThanOrEqual(linesMax)
})

test('docs/README.md lists every page of its folder', () => {
  const index = readText('docs/README.md')
  const pages = documents
    .map(({ path }) => /^docs\/([\w-]+\.md)$/.exec(path)?.[1])
    .filter((page) => page !== undefined && page !== 'README.md')

  expect(pages.filter((page) => !index.includes(`](${page})`))).toEqual([])
})

test('finds rows and sentences that are too long, but not code and addresses', () => {
  const long = 'word '.repeat(30)
  const text = [`| ${long} |`, long, '```', long, '```', `[link]: ${'x'.repeat(130)}`].join('\n')

  expect(linesOf({ path: 'a.md', text }).map(({ number }) => number)).toEqual([1, 2])
  expect(canBeWrapped(`  - \`npx despatch ${long}\``)).toBe(false)
})

/** Returns the lines of a document with their numbers, without code blocks and the addresses of links. */
function linesOf({ text }: SourceFile): { number: number; line: string }[] {
  let isCode = false
  return text.split('\n').flatMap((line, index) => {
    const isFence = /^\s*(?:```|~~~)/.test(line)
    if (isFence) isCode = !isCode
    return isFence || isCode || /^\[[^\]]+\]: /.test(line) ? [] : [{ number: index + 1, line }]
  })
}

function isRow(line: string): boolean {
  return /^\s*\|/.test(line)
}

/** Whether a line has two words or more. A span of code is one word. */
function canBeWrapped(line: string): boolean {
  const words = line.trim().match(/(?:`[^`]*`|[^\s`])+/g) ?? []
  return words.filter((word) => /[\p{L}\p{N}]/u.test(word)).length > 1
}
