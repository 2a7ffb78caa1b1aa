import { spawnSync } from 'node:child_process'
import { readFile, rm } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { root } from '../guards/tree.ts'

const { pages } = await import(join(root, 'scripts/site/navigation.ts'))
const { builtPath } = await import(join(root, 'scripts/site/stage-pages.ts'))

const folder = join(root, 'dist/site-of-tests')
/** What the generator wrote: its text, by its path in the site. */
let built: ReadonlyMap<string, string>
let html: readonly [path: string, text: string][]

beforeAll(async () => {
  await buildSite()
  built = await readFiles(folder)
  html = [...built].filter(([path]) => path.endsWith('.html'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

test('the navigation of each page links to every page', () => {
  const expected = pages.map((page: string) => `/${builtPath(page)}`)
  const incomplete = pages
    .map(builtPath)
    .filter((path: string) => !isSubset(expected, sidebarOf(built.get(path) ?? '')))

  expect(incomplete).toEqual([])
})

test('the home page has the start command, and links to the first guide of each kind of reader', () => {
  const home = built.get('index.html')!

  expect(home).toContain('<main')
  expect(textOf(home)).toMatch(/Send letters like you send requests.*npm run demo/s)
  expect(valuesOf(home, 'href')).toEqual(
    expect.arrayContaining([
      '/docs/first-print-jobs.html',
      '/docs/provider-guide.html',
      '/docs/operations.html',
      '/docs/fault-tests.html#the-promises-and-their-tests',
    ]),
  )
  expect(valuesOf(home, 'src').filter((source) => /\.(png|svg)$/.test(source))).toHaveLength(4)
})

test.each(['index.html', 'docs/first-print-jobs.html'])(
  'the first request is in four languages, of which one is shown, in %s',
  (path) => {
    const [, ...tabs] = built.get(path)!.split('<div class="language-tabs">')
    const [first = ''] = tabs.filter((text) => text.includes('>CLI</button>'))

    const names = [...first.matchAll(/role="tab"[^>]*>(\w+)</g)].map(([, name]) => name)
    const panels = [...first.matchAll(/role="tabpanel"[^>]*>/g)].map(([panel]) => panel)
    expect(names.slice(0, 4)).toEqual(['curl', 'TypeScript', 'Python', 'CLI'])
    expect(panels.slice(0, 4).map((panel) => panel.includes(' hidden'))).toEqual([
      false,
      true,
      true,
      true,
    ])
  },
)

test('each guide that shows a request has tabs', () => {
  const guides = [
    'client',
    'callbacks/on-your-machine',
    'callbacks/seeing-and-sending-again',
    'enquiries',
    'first-print-jobs',
    'provider-guide',
    'provider-guide/posting-and-closing',
    'provider-guide/production',
    'provider-guide/taking-a-run',
    'send-control',
  ]
  const hasTabs = (guide: string) => built.get(`docs/${guide}.html`)!.includes('role="tablist"')

  expect(guides.filter((guide) => !hasTabs(guide))).toEqual([])
})

test('an option of a command does not wrap at its hyphens', () => {
  expect(built.get('docs/command-line.html')).toContain('<span class="option">--template</span>')
})

test('the list of decisions is folded until a reader opens it', () => {
  const sidebar = sidebarHtmlOf(built.get('docs/first-print-jobs.html')!)
  const [, decisions] = sidebar.split('>Decisions</span>')

  expect(/grid-template-rows:(\w+)/.exec(decisions!)?.[1]).toBe('0fr')
})

test('every link has a target in the site, including its heading', () => {
  const dead = html.flatMap(([path, text]) =>
    valuesOf(text, 'href|src')
      .filter((link) => !isOfAnotherHost(link) && !leadsSomewhere(path, link))
      .map((link) => `${path}: ${link}`),
  )

  expect(html.length).toBeGreaterThan(pages.length)
  expect(dead).toEqual([])
})

test('no page loads a resource from another host', () => {
  const loaded = [...built].flatMap(([path, text]) => loadedBy(path, text))

  expect(loaded.filter(({ url }) => isOfAnotherHost(url))).toEqual([])
  expect(loaded.map(({ url }) => url)).toContain('/icon.svg')
})

test('finds resources that a page loads from another host', () => {
  const text = '<script src="https://a.example/x.js"></script><a href="https://b.example">'

  expect(loadedBy('a.html', text)).toEqual([{ path: 'a.html', url: 'https://a.example/x.js' }])
  expect(loadedBy('a.css', '@import "//c.example/x.css"; a { b: url(d.png) }')).toEqual([
    { path: 'a.css', url: '//c.example/x.css' },
    { path: 'a.css', url: 'd.png' },
  ])
})

async function buildSite(): Promise<void> {
  const program = join(root, 'scripts/site/site-main.mjs')
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [program, '--unminified', '--out', 'dist/site-of-tests'],
    { encoding: 'utf8' },
  )
  expect(status, stdout + stderr).toBe(0)
}

async function readFiles(from: string): Promise<Map<string, string>> {
  const { glob } = await import('node:fs/promises')
  const found = new Map<string, string>()
  for await (const entry of glob('**/*.*', { cwd: from })) {
    found.set(entry, await readFile(join(from, entry), 'utf8'))
  }
  return found
}

function sidebarOf(text: string): string[] {
  return valuesOf(sidebarHtmlOf(text), 'href')
}

function sidebarHtmlOf(text: string): string {
  return /<aside class="[^"]*sidebar[\s\S]*?<\/aside>/.exec(text)?.[0] ?? ''
}

/** Returns what a reader of the page sees. */
function textOf(text: string): string {
  return text.replaceAll(/<script\b[^>]*>[\s\S]*?<\/script>|<[^>]*>/g, '')
}

function isSubset(expected: readonly string[], found: readonly string[]): boolean {
  return expected.every((each) => found.includes(each))
}

/** Returns the values of attributes, without the text of scripts. */
function valuesOf(text: string, names: string): string[] {
  const markup = text.replaceAll(/(<script\b[^>]*>)[\s\S]*?<\/script>/g, '$1')
  const attribute = new RegExp(`<[^>]*?\\s(?:${names})="([^"]*)"`, 'g')
  return [...markup.matchAll(attribute)].map(([, value]) => value!.replaceAll('&amp;', '&'))
}

/** Returns what a browser loads for a file by itself: everything but the targets of its links. */
function loadedBy(path: string, text: string): { path: string; url: string }[] {
  const urls = path.endsWith('.css')
    ? [...text.matchAll(/url\(["']?([^"')]+)|@import\s+["']([^"']+)/g)].map(
        ([, url, imported]) => url ?? imported!,
      )
    : path.endsWith('.html')
      ? valuesOf(text.replaceAll(/<a\b[^>]*>/g, ''), 'href|src|srcset|poster|data')
      : []
  return urls.map((url) => ({ path, url }))
}

function isOfAnotherHost(url: string): boolean {
  return /^(?:(?:https?|wss?):)?\/\//.test(url)
}

function leadsSomewhere(from: string, link: string): boolean {
  const [file = '', heading] = decodeURI(link).split('#')
  const path = file ? posix.join('/', posix.dirname(from), file) : `/${from}`
  const target = (file.startsWith('/') ? file : path).slice(1)
  const text = built.get(target === '' || target.endsWith('/') ? `${target}index.html` : target)
  return text !== undefined && (heading === undefined || text.includes(`id="${heading}"`))
}
