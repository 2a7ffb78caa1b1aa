import { cp, mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { dirname, join, posix } from 'node:path'
import { pages, root } from './navigation.ts'

/** Where the files lie that a page links and that are no page, below the root of the site. */
export const sourcePrefix = '/source/'

/** The home page of the site, in place of README.md. */
const landing = 'scripts/site/landing.mdx'

/**
 * Writes the pages for the generator: in the folders of the tree, so that their links stay as they are. A README.md
 * becomes the index of its folder, and the landing page that of the site. A linked file of another kind becomes a plain page below `/source/`. A link to a
 * folder becomes text. Throws if a page links a file that does not exist.
 */
export async function stagePages(folder: string): Promise<void> {
  const linked = new Set<string>()
  for (const page of [landing, ...pages]) {
    const text = await readFile(join(root, page), 'utf8')
    const whole = page === landing ? await withFirstRequest(text) : text
    await write(join(folder, stagedPath(page)), await withLinksOfSite(folder, page, whole, linked))
  }
  for (const path of linked) {
    const text = await readFile(join(root, path), 'utf8')
    await write(join(folder, 'public', `${sourcePrefix}${path}.html`), sourcePage(path, text))
  }
}

/** Returns the path of a page's HTML file in the site: `docs/README.md` is `docs/index.html`. */
export function builtPath(page: string): string {
  return stagedPath(page).replace(/\.md$/, '.html')
}

/** Returns the heading of a page as text. */
export async function titleOf(page: string): Promise<string> {
  const heading = /^# (.+)$/m.exec(await readFile(join(root, page), 'utf8'))
  if (!heading) throw new Error(`${page} has no heading`)
  return heading[1]!.replaceAll('`', '')
}

function stagedPath(page: string): string {
  if (page === landing) return 'index.mdx'
  return page.replace(/(^|\/)README\.md$/, '$1index.md')
}

/** Puts the first request of the first guide into the landing page, so that both show what a test runs. */
async function withFirstRequest(text: string): Promise<string> {
  const guide = await readFile(join(root, 'docs/first-print-jobs.md'), 'utf8')
  const [request] =
    /(?:^```\w+ title=[\s\S]*?^```\n+)+/m.exec(sectionOf(guide, 'Submit a letter')) ?? []
  if (request === undefined) throw new Error('docs/first-print-jobs.md has no first request')
  return text.replace('{/* the request of docs/first-print-jobs.md */}', () => request.trim())
}

function sectionOf(text: string, heading: string): string {
  const [, section = ''] = text.split(`\n## ${heading}\n`)
  return section.split(/^## /m)[0]!
}

/** Fenced blocks are kept, because brackets in code are no links. */
const fence = /(^ *```[\s\S]*?^ *```$)/m
const inlineLink = /(!?)\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)/g
const definition = /^(\[[^\]]+\]: )(\S+)$/gm

async function withLinksOfSite(
  folder: string,
  page: string,
  text: string,
  linked: Set<string>,
): Promise<string> {
  const parts = text.split(fence)
  const rewritten = parts.map(async (part, index) => {
    if (index % 2 === 1) return part
    const withInline = await replaceAsync(part, inlineLink, async ([all, image, label, target]) => {
      if (image) return `![${label}](${await stagedPicture(folder, page, target!)})`
      const url = await urlInSite(page, target!, linked)
      return url === undefined ? label! : all!.replace(`](${target})`, `](${url})`)
    })
    return replaceAsync(withInline, definition, async ([, start, target]) => {
      const url = await urlInSite(page, target!, linked)
      if (url === undefined) throw new Error(`${page}: a definition links the folder ${target}`)
      return `${start}${url}`
    })
  })
  return (await Promise.all(rewritten)).join('')
}

/** Copies a picture beside its page, and returns its path as the generator requires it. */
async function stagedPicture(folder: string, page: string, target: string): Promise<string> {
  const path = posix.join(posix.dirname(page), target)
  await mkdir(dirname(join(folder, path)), { recursive: true })
  await cp(join(root, path), join(folder, path))
  return `./${posix.relative(posix.dirname(stagedPath(page)), path)}`
}

/** Returns the URL of a link of a page in the site, or undefined for a folder. */
async function urlInSite(
  page: string,
  link: string,
  linked: Set<string>,
): Promise<string | undefined> {
  if (/^(?:[a-z]+:|#)/.test(link)) return link
  const [file = '', heading] = link.split('#')
  const path = posix.join(posix.dirname(page), file)
  if (path === 'README.md') return '/index.mdx'
  if (pages.includes(path)) {
    return `/${stagedPath(path)}${heading === undefined ? '' : `#${heading}`}`
  }
  const found = await stat(join(root, path)).catch(() => undefined)
  if (!found) throw new Error(`${page} links ${link}, which does not exist`)
  if (found.isDirectory()) return undefined
  linked.add(path)
  return `${sourcePrefix}${path}.html`
}

function sourcePage(path: string, text: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(path)}</title>
<h1 style="font: 1.2rem monospace; overflow-wrap: anywhere">${escapeHtml(path)}</h1>
<pre style="overflow-x: auto">${escapeHtml(text)}</pre>
</html>
`
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}

async function replaceAsync(
  text: string,
  pattern: RegExp,
  replacement: (match: RegExpExecArray) => Promise<string>,
): Promise<string> {
  const matches = [...text.matchAll(pattern)]
  const replaced = await Promise.all(matches.map(replacement))
  const starts = matches.map((match) => match.index + match[0].length)
  return matches
    .map((match, index) => text.slice(index ? starts[index - 1] : 0, match.index) + replaced[index])
    .concat(text.slice(starts.at(-1) ?? 0))
    .join('')
}

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, text)
}
