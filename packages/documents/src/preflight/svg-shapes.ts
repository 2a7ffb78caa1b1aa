import { notoSans } from '../noto-sans.ts'
import type { Size } from './page-geometry.ts'
import type { Shape } from './proof-shapes.ts'

/**
 * Returns shapes as SVG of a size in millimetres and pixels. Text is drawn as outlines, because the renderer may have
 * no fonts.
 */
export function svgOf(shapes: readonly Shape[], { size, pixels }: { size: Size; pixels: Size }) {
  const characters = new Set(shapes.flatMap((each) => (each.kind === 'text' ? [...each.text] : [])))
  const outlines = [...characters].map(
    (character) => `<path id="${idOf(character)}" d="${glyphOf(character).path.toSVG()}"/>`,
  )
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${pixels.width}" height="${pixels.height}" viewBox="0 0 ${size.width} ${size.height}" preserveAspectRatio="none"><defs>${outlines.join('')}</defs>${shapes.map(draw).join('')}</svg>`
}

function draw(shape: Shape): string {
  switch (shape.kind) {
    case 'box':
      return `<rect ${placeOf(shape.at)} fill="${shape.fill}"/>`
    case 'outline': {
      const dashes = shape.dashes ? ` stroke-dasharray="${shape.dashes.join(' ')}"` : ''
      return `<rect ${placeOf(shape.at)} fill="none" stroke="${shape.colour}" stroke-width="${shape.width}"${dashes}/>`
    }
    case 'line':
      return `<line x1="${rounded(shape.from.x)}" y1="${rounded(shape.from.y)}" x2="${rounded(shape.to.x)}" y2="${rounded(shape.to.y)}" stroke="${shape.colour}" stroke-width="${shape.width}"/>`
    case 'text':
      return drawText(shape)
  }
}

function drawText({ at, size, text, colour }: Extract<Shape, { kind: 'text' }>): string {
  const scale = size / notoSans().unitsPerEm
  let x = 0
  const glyphs = [...text].map((character) => {
    const place = `<use href="#${idOf(character)}" x="${x}"/>`
    x += glyphOf(character).advanceWidth
    return place
  })
  return `<g fill="${colour}" transform="translate(${rounded(at.x)} ${rounded(at.y)}) scale(${scale} ${-scale})">${glyphs.join('')}</g>`
}

function glyphOf(character: string) {
  return notoSans().glyphForCodePoint(character.codePointAt(0)!)!
}

function idOf(character: string): string {
  return `g${character.codePointAt(0)}`
}

function placeOf(at: { x: number; y: number; width: number; height: number }): string {
  return `x="${rounded(at.x)}" y="${rounded(at.y)}" width="${rounded(at.width)}" height="${rounded(at.height)}"`
}

function rounded(value: number): number {
  return Math.round(value * 1000) / 1000
}
