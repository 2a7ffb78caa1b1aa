import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { paths, root, type SourceFile, textFiles } from './tree.ts'

const documents = textFiles.filter(({ path }) => /^[^/]+\.md$|^docs\/.*\.md$/.test(path))
const tops = new Set(paths.filter((path) => path.includes('/')).map((path) => path.split('/')[0]!))

test.each(documents)('every link of $path leads somewhere', (document) => {
  const links = [...document.text.matchAll(/\]\(([^)\s]+)\)|^\[[^\]]+\]: (\S+)$/gm)].map(
    ([, link, reference]) => (link ?? reference)!,
  )

  expect(links.filter((link) => !leadsSomewhere(document, link))).toEqual([])
})

test.each(documents)('every path that $path names exists', ({ text }) => {
  const named = [...text.matchAll(/`([^`\s]+)`/g)].map(([, span]) => span!)
  const ofTree = named.filter((span) => isPath(span))

  expect(ofTree.filter((path) => !existsSync(join(root, path)))).toEqual([])
})

function leadsSomewhere({ path, text }: SourceFile, link: string): boolean {
  if (/^https?:\/\//.test(link)) return true
  const [file = '', heading] = link.split('#')
  const target = file ? join(dirname(path), file) : path
  if (!existsSync(join(root, target))) return false
  const targetText = file ? textFiles.find((known) => known.path === target)?.text : text
  return heading === undefined || headingsOf(targetText ?? '').includes(heading)
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
  return span.includes('/') && /^[\w./-]+$/.test(span) && tops.has(top)
}
