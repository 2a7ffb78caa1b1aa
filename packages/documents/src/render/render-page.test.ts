import { PDFDocument } from 'pdf-lib'
import { expect, test } from 'vitest'
import { aPdfThatDraws, draw } from '../../test/preflight-fixtures.ts'
import { type OpenPages, openPages, type Unreadable } from './open-pages.ts'
import { listFonts } from './page-fonts.ts'
import { listObjects } from './page-objects.ts'
import { findCharacters } from './page-text.ts'
import { paint } from './render-page.ts'

const size = { width: 210, height: 297 }

test('renders a page in the requested size, rows from the top', async () => {
  using pages = opened(await openPages(await aPdfThatDraws({ draws: [draw.box(0, 0, 210, 100)] })))

  const rendered = render(pages, 1, size)

  if (rendered.kind !== 'seen') throw new Error(rendered.why)
  const { seen: picture } = rendered
  const greyAt = (x: number, y: number) => picture.pixels[(y * picture.width + x) * 4]
  expect([picture.width, picture.height, picture.pixels.length]).toEqual([210, 297, 210 * 297 * 4])
  expect([greyAt(100, 50), greyAt(100, 150)]).toEqual([0, 255])
})

test('finds characters and fonts, seen or not', async () => {
  const pdf = await aPdfThatDraws({
    draws: [
      draw.text(50, 60, 'ab', { grey: 1 }),
      draw.text(50, 200, 'c', { font: 'Standard' }),
      draw.text(50, 210, 'd', { font: 'Standard', mode: 3 }),
    ],
  })
  using pages = opened(await openPages(pdf))

  const looked = pages.look(1, (page) => ({
    fonts: listFonts(page, listObjects(page)).map(({ isEmbedded }) => isEmbedded),
    characters: findCharacters(page, { size, within: { x: 40, y: 50, width: 40, height: 20 } }),
  }))

  if (looked.kind !== 'seen') throw new Error(looked.why)
  const round = (value: number) => Math.round(value)
  expect(looked.seen.fonts).toEqual([true, false])
  expect(looked.seen.characters.map(({ x, y }) => [round(x), round(y)])).toEqual([
    [50, 58],
    [52, 57],
  ])
})

test('reports a page that it cannot show as damaged, encrypted or too complex', async () => {
  const pdf = await aPdfThatDraws({ draws: [] })
  const locked = await PDFDocument.load(pdf)
  locked.encrypt({ userPassword: 'secret', ownerPassword: 'secret' })
  using pages = opened(await openPages(pdf))

  const whys = {
    empty: await openPages(new Uint8Array()),
    locked: await openPages(await locked.save()),
    noSuchPage: render(pages, 2, size),
    tooLarge: render(pages, 1, { width: 20_000, height: 20_000 }),
  }

  expect(whys).toEqual({
    empty: { kind: 'unreadable', why: 'damaged' },
    locked: { kind: 'unreadable', why: 'encrypted' },
    noSuchPage: { kind: 'unreadable', why: 'damaged' },
    tooLarge: { kind: 'unreadable', why: 'too-complex' },
  })
})

test('continues with the next document after a failed one', async () => {
  const pdf = await aPdfThatDraws({ draws: [] })
  using pages = opened(await openPages(pdf))
  render(pages, 1, { width: 20_000, height: 20_000 })

  using next = opened(await openPages(pdf))

  expect(render(next, 1, size).kind).toBe('seen')
})

function render(pages: OpenPages, page: number, pixels: { width: number; height: number }) {
  return pages.look(page, (open) => paint(open, pixels))
}

function opened(pages: OpenPages | Unreadable): OpenPages {
  if (pages.kind === 'unreadable') throw new Error(pages.why)
  return pages
}
