import { byEffort } from '@despatch/testing/effort'
import { describe, expect, test } from 'vitest'
import type { LetterFile } from '../src/compose-letter.ts'
import { annotated } from './annotated-pdfs.ts'
import { composedPdf } from './letters.ts'
import { otherRenderers, type PageRenderer, proofRenderer } from './other-renderers.ts'
import type { PagePicture } from './page-picture.ts'

/** The rule is about what we draw, so one renderer shows it. The full loop asks the others too. */
const renderers: readonly PageRenderer[] = byEffort({
  landing: [proofRenderer],
  full: [proofRenderer, ...otherRenderers()],
})
const dotsPerInch = 200
const darkBelow = 128
/** The left lower corner of each field, in points. */
const corner = { x: 100, y: 400 } as const
const width = 100

describe.each(renderers)('$name', ({ render }) => {
  test.each([14, 20, 50])('no tail or accent is cut off in a box of %i points', async (height) => {
    const { rows } = await drawn('/V(\\311gjpqy)/DA(/F1 10 Tf 0 g)', height)

    // from the top of the accent to the foot of the tails, at 10 points
    expect(rows.flat().length).toBeGreaterThan(dots(10 * 1.08))
    expect(rows.flat().length).toBeLessThan(dots(10 * 1.23))
  })

  test('a box prints as many lines as other readers show', async () => {
    const { rows } = await drawn('/Ff 4096/V(H\\nH\\nH\\nH)/DA(/F1 10 Tf 0 g)', 50)

    expect(rows).toHaveLength(4)
    expect(rows.at(-1)!.length).toBeGreaterThan(dots(10 * 0.68))
  })

  test.each([
    ['more lines than its box holds', `/Ff 4096/V(${'H\\n'.repeat(7)}H)`, 50, 8],
    ['a line that is too long', '/V(H)', 14, 1],
  ])('%s is printed smaller', async (_, field, height, lines) => {
    const { rows } = await drawn(`${field}/DA(/F1 24 Tf 0 g)`, height)

    expect(rows).toHaveLength(lines)
  })

  test.each([
    ['', `/V(${'l'.repeat(40)})`, 40],
    [' with a comb', '/Ff 16777216/MaxLen 8/V(llllllll)', 8],
    [' with lines', `/Ff 4096/V(${'l'.repeat(40)})`, 40],
  ])('every character of a line is printed in a field%s', async (_, field, characters) => {
    const { columns } = await drawn(`${field}/DA(/F1 12 Tf 0 g)`, 20)

    expect(columns).toHaveLength(characters)
  })

  /** Returns the runs of rows and of columns of dots that a field darkens. */
  async function drawn(field: string, height: number) {
    const rectangle = [corner.x, corner.y, corner.x + width, corner.y + height].join(' ')
    const bytes = annotated(
      `<</Type/Annot/Subtype/Widget/F 4/T(a)/FT/Tx/Rect[${rectangle}]${field}>>`,
      { catalog: '/AcroForm<</Fields[]>>' },
    )
    const file: LetterFile = { fileId: 'a', mediaType: 'application/pdf', bytes }
    const [, page] = await render(await composedPdf({ pages: [file] }), dotsPerInch)
    return runsOf(page!, height)
  }
})

function dots(points: number): number {
  return (points * dotsPerInch) / 72
}

function runsOf(page: PagePicture, height: number) {
  const [left, right] = [dots(corner.x), dots(corner.x + width)].map(Math.round) as [number, number]
  const bottom = page.height - Math.round(dots(corner.y))
  const top = bottom - Math.round(dots(height))
  const isDark = (x: number, y: number) => page.grey[y * page.width + x]! < darkBelow
  const across = range(left, right)
  const down = range(top, bottom)
  return {
    rows: runs(down.filter((y) => across.some((x) => isDark(x, y)))),
    columns: runs(across.filter((x) => down.some((y) => isDark(x, y)))),
  }
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, index) => from + index)
}

/** Parts ascending numbers where one is left out. */
function runs(numbers: readonly number[]): number[][] {
  const found: number[][] = []
  for (const number of numbers) {
    if (found.at(-1)?.at(-1) === number - 1) found.at(-1)!.push(number)
    else found.push([number])
  }
  return found
}
