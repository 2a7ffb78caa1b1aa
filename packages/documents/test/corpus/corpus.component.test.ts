import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { compareFiles } from './compare-files.ts'
import { differingPerMille } from './differing-pixels.ts'
import { reportOf } from './report-of.ts'

/** Made files of each kind, or the folder that CORPUS_FOLDER names. */
const folder = process.env.CORPUS_FOLDER ?? fileURLToPath(new URL('../cases', import.meta.url))

test('each file of the corpus is printed as each renderer shows the file, or refused', async () => {
  const names = await readdir(folder, { recursive: true })
  const paths = names
    .filter((name) => /\.(pdf|png|jpe?g|gif|tiff?|bmp)$/i.test(name))
    // each program draws such fields in a typeface of its own; `printed-as-shown` checks that they are printed
    .filter((name) => !name.startsWith('form-need-appearances'))
  expect(paths.length).toBeGreaterThan(0)

  const compared = await compareFiles(
    paths.map((path) => join(folder, path)),
    { threads: 1, secondsMax: 3600 },
  )

  expect(compared).toHaveLength(paths.length)
  const { text, differing } = reportOf(compared)
  expect(differing, text).toBe(0)
})

test('pages differ by the share of their pixels that look different', () => {
  const white = page(() => 255)

  expect(
    differingPerMille(
      white,
      page(() => 192),
    ),
  ).toBe(0)
  expect(
    differingPerMille(
      white,
      page(() => 191),
    ),
  ).toBe(1000)
  expect(
    differingPerMille(
      white,
      page((index) => (index < 2 ? 0 : 255)),
    ),
  ).toBe(2)
})

test('cells differ by their average, so that a missing letter counts and a shifted edge does not', () => {
  const white = page(() => 255)
  const oneDark = page((index) => (index === 0 ? 0 : 255))
  const cellDark = page((index) => (index % 40 < 5 && index < 200 ? 0 : 255))

  expect(differingPerMille(white, oneDark, 5)).toBe(0)
  expect(differingPerMille(white, cellDark, 5)).toBe(25)
})

test('a page whose rounded size is one row lower is compared without that row', () => {
  const white = page(() => 255)
  const lower = { width: 40, height: 24, grey: new Uint8Array(960).fill(255) }
  const muchLower = { width: 40, height: 23, grey: new Uint8Array(920).fill(255) }

  expect(differingPerMille(white, lower)).toBe(0)
  expect(differingPerMille(white, muchLower)).toBe(1000)
})

test('the report counts files that differ and files that could not be compared', () => {
  const { text, differing } = reportOf([
    {
      path: 'a.pdf',
      outcome: 'compared',
      kinds: ['form'],
      pages: 2,
      differing: [{ page: 2, renderer: 'poppler', perMille: 3.25 }],
      unread: [],
    },
    { path: 'b.pdf', outcome: 'failed', why: 'the thread ended', kinds: [] },
    { path: 'c.pdf', outcome: 'refused', rules: ['pdf-encrypted'], kinds: [] },
  ])

  expect(differing).toBe(2)
  expect(text).toContain('a.pdf (form)\n    page 2 poppler: 3.3 per mille')
  expect(text).toContain('b.pdf: the thread ended')
  expect(text).toContain('1 × pdf-encrypted')
})

function page(greyAt: (index: number) => number) {
  return {
    width: 40,
    height: 25,
    grey: Uint8Array.from({ length: 1000 }, (_, index) => greyAt(index)),
  }
}
