import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { paths, readText, root, type SourceFile, textFiles } from './tree.ts'

const documents = textFiles.filter(({ path }) => /^[^/]+\.md$|^docs\/.*\.md$/.test(path))
const folders = new Set(paths.flatMap(foldersOf))

test.each(documents)('every link of $path has a target', (document) => {
  const links = [...document.text.matchAll(/\]\(([^)\s]+)\)|^\[[^\]]+\]: (\S+)$/gm)].map(
    ([, link, reference]) => (link ?? reference)!,
  )

  expect(links.filter((link) => !leadsSomewhere(document, link))).toEqual([])
})

test.each(documents)('every path that $path names exists', ({ text }) => {
  const named = [...text.matchAll(/`([^`\s]+)`/g)].map(([, span]) => span!)
  const ofTree = named.filter((span) => isPath(span))

  expect(ofTree.filter((path) => !isThere(path))).toEqual([])
})

test('docs/README.md lists every page of its folder', () => {
  const index = readText('docs/README.md')
  const pages = paths
    .map((path) => /^docs\/([\w-]+\.md)$/.exec(path)?.[1])
    .filter((page) => page !== undefined && page !== 'README.md')

  expect(pages.filter((page) => !index.includes(`](${page})`))).toEqual([])
})

test('the navigation of the site has every document except README.md once', async () => {
  const { pages } = await import(join(root, 'scripts/site/navigation.ts'))
  const notPages = /^(services\/driver-find\/test|packages\/templates\/(starter|examples))\//
  const isPage = (path: string) =>
    path.endsWith('.md') && !notPages.test(path) && path !== 'README.md'
  const all = paths.filter(isPage)

  expect([...pages].sort()).toEqual(all)
})

function leadsSomewhere({ path, text }: SourceFile, link: string): boolean {
  if (/^https?:\/\//.test(link)) return true
  const [file = '', heading] = link.split('#')
  const target = file ? join(dirname(path), file) : path
  if (!isThere(target)) return false
  const targetText = file ? textFiles.find((known) => known.path === target)?.text : text
  return heading === undefined || headingsOf(targetText ?? '').includes(heading)
}

/** Whether git tracks a file, or files in a folder. */
function isThere(path: string): boolean {
  const plain = path.replace(/\/$/, '')
  return plain === '.' || paths.includes(plain) || folders.has(plain)
}

function foldersOf(path: string): string[] {
  const names = path.split('/').slice(0, -1)
  return names.map((_, index) => names.slice(0, index + 1).join('/'))
}

/** Returns the anchors of headings as GitHub generates them. */
function headingsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

/** A path from the root of the tree: `packages/domain`, `infra/`. */
function isPath(span: string): boolean {
  const [top = ''] = span.split('/')
  return span.includes('/') && /^[\w./-]+$/.test(span) && folders.has(top)
}
