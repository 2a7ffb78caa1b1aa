import { points } from '../a4.ts'
import { drawText, rounded } from '../draw-text.ts'
import type { Size } from './page-geometry.ts'
import type { Shape } from './proof-shapes.ts'
import { proofFont } from './proof-text.ts'

/**
 * Returns shapes as operators of a page of a size in millimetres. The page's resources must contain the proof's font as
 * `Proof`.
 */
export function operatorsOf(shapes: readonly Shape[], page: Size): string {
  return shapes.map((shape) => draw(shape, page)).join('\n')
}

function draw(shape: Shape, page: Size): string {
  switch (shape.kind) {
    case 'box':
      return `${colourOf(shape.fill)} rg ${boxOf(shape.at, page)} f`
    case 'outline': {
      const dashes = (shape.dashes ?? []).map(written).join(' ')
      return `${colourOf(shape.colour)} RG ${written(shape.width)} w [${dashes}] 0 d ${boxOf(shape.at, page)} S`
    }
    case 'line':
      return `${colourOf(shape.colour)} RG ${written(shape.width)} w [] 0 d ${placeOf(shape.from, page)} m ${placeOf(shape.to, page)} l S`
    case 'text': {
      const { at, size, text, colour } = shape
      const line = {
        text,
        size: rounded(points(size)),
        x: points(at.x),
        y: points(page.height - at.y),
        width: Number.POSITIVE_INFINITY,
      }
      return `BT ${colourOf(colour)} rg ${drawText(line, { name: 'Proof', subset: proofFont() })} ET`
    }
  }
}

function boxOf(
  { x, y, width, height }: { x: number; y: number; width: number; height: number },
  page: Size,
): string {
  return `${placeOf({ x, y: y + height }, page)} ${written(width)} ${written(height)} re`
}

function placeOf({ x, y }: { x: number; y: number }, page: Size): string {
  return `${written(x)} ${written(page.height - y)}`
}

function written(millimetres: number): number {
  return rounded(points(millimetres))
}

function colourOf(colour: string): string {
  return [1, 3, 5]
    .map((at) => rounded(Number.parseInt(colour.slice(at, at + 2), 16) / 255))
    .join(' ')
}
