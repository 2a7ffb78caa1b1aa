import { deflateSync } from 'node:zlib'
import { ruleSets } from '@despatch/domain/preflight/rule-set'
import { byEffort } from '@despatch/testing/effort'
import { PDFDocument, PDFName } from 'pdf-lib'
import { expect, test } from 'vitest'
import { type EdgePage, edgePages, edgePdf, randomEdgePages } from '../../test/edge-pages.ts'
import { findByEachRuleSet } from '../../test/whole-painting.ts'
import type { DrawnObject } from '../render/drawn-objects.ts'
import { inspectPages } from './inspect-pages.ts'
import { chooseUnpainted, hasSmallMasks, unpaintedPixelsMax } from './unpainted-objects.ts'

const judged = ['standard-2026-11', 'window-letter-2026-11'] as const
const ofJudged = judged.map((id) => ruleSets[id])

/** The landing loop compares every third. */
const compared = edgePages.filter((_, index) => index % byEffort({ landing: 3, full: 1 }) === 0)

test.for(compared.map((page) => [page.name, page] as const))(
  'finds the same as with all objects painted: %s',
  async ([, page]) => {
    await expectSameFindings(page)
  },
)

test('finds the same as with all objects painted, on random pages of images, text and lines', async () => {
  const count = byEffort({ landing: 3, full: 60 })
  for (const page of randomEdgePages(20_261_120, count)) await expectSameFindings(page)
})

async function expectSameFindings(page: EdgePage) {
  const pdf = await edgePdf(page)
  const onWhole = await findByEachRuleSet(pdf, ofJudged)
  for (const [index, id] of judged.entries()) {
    const ruleSet = ruleSets[id]
    const findings = await inspectPages(pdf, {
      ruleSet,
      part: 'file-page',
      marks: true,
      isRevised: false,
    })
    const ofInk = findings.filter(({ rule }) => rule !== 'font-not-embedded')

    expect({ page: page.name, id, findings: ofInk }).toEqual({
      page: page.name,
      id,
      findings: onWhole?.[index],
    })
  }
}

const zones = {
  areas: [{ x: 5, y: 5, width: 200, height: 287 }],
  strips: [{ x: 5, y: 277, width: 10, height: 15 }],
}
const within = {
  handle: 1,
  rectangle: { x: 20, y: 20, width: 100, height: 100 },
  isMixed: false,
  image: { pixels: 1_000_000, filters: ['DCTDecode'] },
} satisfies DrawnObject
const ofPixels = (pixels: number) => ({ image: { pixels, filters: [] } })

test.for([
  ['an image within the area', {}, 1],
  ['one as near as the margin', { rectangle: { x: 8, y: 8, width: 194, height: 200 } }, 1],
  ['one nearer than the margin', { rectangle: { x: 7.9, y: 8, width: 190, height: 200 } }, 0],
  ['one out of the area', { rectangle: { x: 20, y: 20, width: 200, height: 100 } }, 0],
  ['one near the strip', { rectangle: { x: 17, y: 260, width: 50, height: 20 } }, 0],
  ['one beside the strip', { rectangle: { x: 18, y: 260, width: 50, height: 20 } }, 1],
  ['one whose place is not a number', { rectangle: { ...within.rectangle, x: Number.NaN } }, 0],
  ['one that is mixed with what lies under it', { isMixed: true }, 0],
  ['one that is not compressed', { image: { pixels: 1, filters: [] } }, 1],
  [
    'one that may need any memory',
    { image: { pixels: 1, filters: ['FlateDecode', 'JPXDecode'] } },
    0,
  ],
  ['one with as many pixels as there is memory for', ofPixels(unpaintedPixelsMax), 1],
  ['one with more', ofPixels(unpaintedPixelsMax + 1), 0],
  ['text or a line within the area', { image: undefined }, 1],
  ['one whose place is not known', { rectangle: undefined }, 0],
] as const)('decides whether to paint %s', ([, change, unpainted]) => {
  expect(chooseUnpainted([{ ...within, ...change }], zones)).toHaveLength(unpainted)
})

test('paints all images of a page that together have too many pixels', () => {
  const half = { ...within, ...ofPixels(unpaintedPixelsMax / 2) }
  const text = { ...within, image: undefined }

  expect(chooseUnpainted([half, half], zones)).toHaveLength(2)
  expect(chooseUnpainted([half, half, { ...within, ...ofPixels(1) }, text], zones)).toEqual([text])
})

test('paints all images of a page with a window', () => {
  const window = { x: 24.6, y: 39.5, width: 95.4, height: 26.8, use: 'kept' } as const

  expect(chooseUnpainted([within], { ...zones, window })).toEqual([])
})

test.for([
  ['small', { Width: 100, Height: 100, Filter: 'FlateDecode' }, true],
  ['large', { Width: 4001, Height: 4000, Filter: 'FlateDecode' }, false],
  ['of a filter that may need any memory', { Width: 1, Height: 1, Filter: 'JPXDecode' }, false],
  ['of unknown size', { Filter: 'FlateDecode' }, false],
] as const)('recognises masks that are %s', async ([, mask, isSmall]) => {
  const document = await PDFDocument.create({ updateMetadata: false })
  const { context } = document
  const ref = context.register(context.stream(deflateSync(Buffer.alloc(1)), mask))
  const image = context.stream('', { Subtype: 'Image' })
  image.dict.set(PDFName.of('SMask'), ref)
  context.register(image)

  expect(hasSmallMasks([document.addPage()])).toBe(isSmall)
})
