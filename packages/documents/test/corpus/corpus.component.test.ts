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

test('pages differ by the share of their pixels that look different, a missing row apart', () => {
  const white = page(() => 255)
  const dark = (count: number) => page((index) => (index < count ? 0 : 255))
  const lower = (height: number) => ({
    width: 40,
    height,
    grey: new Uint8Array(40 * height).fill(255),
  })
  const all = (grey: number) => page(() => grey)

  expect([all(192), all(191), dark(2)].map((other) => differingPerMille(white, other))).toEqual([
    0, 1000, 2,
  ])
  expect([lower(24), lower(23)].map((other) => differingPerMille(white, other))).toEqual([0, 1000])
})

test('cells differ by their average, so that a missing letter counts and a shifted edge does not', () => {
  const white = page(() => 255)
  const oneDark = page((index) => (index === 0 ? 0 : 255))
  const cellDark = page((index) => (index % 40 < 5 && index < 200 ? 0 : 255))

  expect(differingPerMille(white, oneDark, 5)).toBe(0)
  expect(differingPerMille(white, cellDark, 5)).toBe(25)
})

function page(greyAt: (index: number) => number) {
  return {
    width: 40,
    height: 25,
    grey: Uint8Array.from({ length: 1000 }, (_, index) => greyAt(index)),
  }
}
