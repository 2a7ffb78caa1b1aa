import type { Finding } from '@despatch/domain/preflight/finding'
import type { RuleSet } from '@despatch/domain/preflight/rule-set'
import sharp from 'sharp'
import type { Picture } from '../render/render-page.ts'
import { findingBlock, textBlock } from './list-shapes.ts'
import { moved, type Shape } from './proof-shapes.ts'
import { findingsOf, openProof, type ProofSource } from './proof-source.ts'
import { svgOf } from './svg-shapes.ts'
import { keyShapes } from './zone-shapes.ts'

const dotsPerInch = 110
/** Around the page, in millimetres. */
const border = 6
/** A smaller page must still have room for its legend, in millimetres. */
const contentWidthMin = 210

/**
 * Returns a page of a source as PNG: its picture with the edge of the paper, the zones of the rule set and the
 * findings, and below it their sentences. Equal arguments return equal bytes. Returns undefined if there is no such
 * page or it cannot be rendered.
 */
export async function proofPage({
  source,
  page,
  findings,
  ruleSet,
}: {
  source: ProofSource
  page: number
  findings: readonly Finding[]
  ruleSet: RuleSet
}): Promise<Uint8Array | undefined> {
  using pages = await openProof(source, { findings, ruleSet, dotsPerInch })
  const view = pages?.view(page)
  if (!view) return undefined

  const found = findingsOf(findings, { fileId: source.fileId, page })
  const width = Math.max(view.size.width, contentWidthMin)
  const legend = legendBlock(found, width)
  const size = {
    width: width + 2 * border,
    height: view.size.height + legend.height + 3 * border,
  }
  const scale = view.picture.width / view.size.width
  const shapes = [
    ...moved(view.shapes, { x: border, y: border }),
    ...moved(legend.shapes, { x: border, y: view.size.height + 2 * border }),
  ]
  const pixels = { width: Math.round(size.width * scale), height: Math.round(size.height * scale) }
  const edge = Math.round(border * scale)
  return sharp({ create: { ...pixels, channels: 3, background: '#ffffff' } })
    .composite([
      { ...rawOf(view.picture), left: edge, top: edge },
      { input: Buffer.from(svgOf(shapes, { size, pixels })), left: 0, top: 0 },
    ])
    .png({ compressionLevel: 9, palette: true, colours: 64, dither: 0 })
    .toBuffer()
}

function legendBlock(
  found: readonly Finding[],
  width: number,
): { shapes: Shape[]; height: number } {
  const shapes = keyShapes()
  let height = 8
  const blocks =
    found.length > 0
      ? found.map((finding) => findingBlock(finding, width))
      : [textBlock('Nothing was found on this page.', { width })]
  for (const block of blocks) {
    shapes.push(...moved(block.shapes, { x: 0, y: height }))
    height += block.height
  }
  return { shapes, height }
}

function rawOf({ width, height, pixels }: Picture) {
  const opaque = Buffer.from(pixels.buffer, pixels.byteOffset, pixels.byteLength)
  for (let index = 3; index < opaque.length; index += 4) opaque[index] = 255
  return { input: opaque, raw: { width, height, channels: 4 as const } }
}
