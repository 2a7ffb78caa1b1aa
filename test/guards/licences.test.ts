import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readText, root } from './tree.ts'

type Locked = { version: string; license?: string; dev?: boolean; link?: boolean }

const { packages }: { packages: Record<string, Locked> } = JSON.parse(readText('package-lock.json'))
const notices = readText('NOTICES.md')

/** The packages that a deployment installs, also those for other platforms. */
const production = Object.entries(packages)
  .filter(([path, { dev, link }]) => path.includes('node_modules/') && !dev && !link)
  .map(([path, locked]) => ({ path, name: path.replace(/.*node_modules\//, ''), ...locked }))

const allowed = [
  ...['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'BlueOak-1.0.0', 'CC-BY-3.0', 'ISC'],
  ...['MIT', 'MIT-0', 'OFL-1.1', 'PSF-2.0', 'Unlicense'],
]

/** Packages whose licence may not be in another package. Why: NOTICES.md. */
const allowedFor: Readonly<Record<string, RegExp>> = {
  'LGPL-3.0-or-later': /^@img\/sharp-(libvips-|wasm32$|win32-)/,
}

/** Packages without a licence in the lockfile, with the version whose own files were read. */
const readByHand: Readonly<Record<string, string>> = {
  'buildcheck@0.0.7': 'MIT',
  'busboy@1.6.0': 'MIT',
  'cpu-features@0.0.10': 'MIT',
  'humanize-number@0.0.2': 'MIT',
  'ssh2@1.17.0': 'MIT',
  'streamsearch@1.1.0': 'MIT',
}

test('every package that is deployed has a licence that is allowed', () => {
  const refused = production.filter(({ name, version, license }) => {
    const found = license ?? readByHand[`${name}@${version}`]
    return found === undefined || !isAllowed(name, found)
  })

  expect(production.length).toBeGreaterThan(300)
  expect(refused.map(({ name, version, license }) => `${name}@${version}: ${license}`)).toEqual([])
})

test.for([
  ['any', 'MIT', true],
  ['any', '(MIT OR GPL-3.0-only)', true],
  ['any', 'GPL-3.0-only', false],
  ['any', 'MIT AND GPL-3.0-only', false],
  ['any', 'LGPL-3.0-or-later', false],
  ['@img/sharp-libvips-linux-x64', 'LGPL-3.0-or-later', true],
  ['any', 'SEE LICENSE IN LICENSE', false],
] as const)('the package %s under %s is allowed: %s', ([name, license, may]) => {
  expect(isAllowed(name, license)).toBe(may)
})

test('the published package has the licence of the project', () => {
  expect(readText('clients/typescript/LICENSE')).toBe(readText('LICENSE'))
})

test('NOTICES.md names each package that contains programs, libraries or fonts', () => {
  const named = [...notices.matchAll(/`(@?[\w./*-]+)`/g)].map(([, name]) => patternOf(name!))
  const withBinaries = production
    .filter(({ path }) => existsSync(join(root, path)) && hasBinaries(path))
    .map(({ name }) => name)

  expect(withBinaries).toContain('@hyzyla/pdfium')
  expect(withBinaries.filter((name) => !named.some((each) => each.test(name)))).toEqual([])
})

test('NOTICES.md names each library in libvips', () => {
  const [file] = production
    .map(({ path }) => `${path}/versions.json`)
    .filter((path) => path.includes('sharp-libvips-') && existsSync(join(root, path)))
  const libraries = Object.keys(JSON.parse(readText(file!)))
  const section = /^## libvips[\s\S]+?(?=^## )/m.exec(notices)![0]

  expect(libraries).toContain('vips')
  expect(
    libraries.filter((name) => !new RegExp(`(?<![\\w-])${name}(?![\\w-])`).test(section)),
  ).toEqual([])
})

test('the image has the notices and the licence', () => {
  expect(readText('Dockerfile')).toMatch(/^COPY \. \.$/m)
  expect(readText('.dockerignore')).toMatch(/^!LICENSE\n!NOTICES\.md$/m)
})

/** Reads an SPDX expression without nested brackets: one side of OR suffices, AND requires both. */
function isAllowed(name: string, expression: string): boolean {
  return expression
    .replace(/[()]/g, '')
    .split(' OR ')
    .some((side) =>
      side.split(' AND ').every((id) => allowed.includes(id) || allowedFor[id]?.test(name)),
    )
}

function patternOf(name: string): RegExp {
  return new RegExp(`^${name.replace(/[.]/g, '\\.').replace('*', '[\\w.-]+')}$`)
}

function hasBinaries(path: string): boolean {
  return readdirSync(join(root, path), { withFileTypes: true }).some((entry) =>
    entry.isDirectory()
      ? entry.name !== 'node_modules' && hasBinaries(`${path}/${entry.name}`)
      : /\.(wasm|node|so(\.[\d.]+)?|dylib|dll|exe|ttf|otf|woff2?)$/.test(entry.name),
  )
}
