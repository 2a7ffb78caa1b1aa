import type { Rectangle } from '@despatch/domain/preflight/finding'
import { printable, proofWidth } from './proof-text.ts'

/** The drawing elements of a proof, in millimetres from the top left. Colours are `#rrggbb`. */
export type Shape =
  | { kind: 'box'; at: Rectangle; fill: string }
  | { kind: 'outline'; at: Rectangle; colour: string; width: number; dashes?: readonly number[] }
  | { kind: 'line'; from: Point; to: Point; colour: string; width: number }
  /** `at` is the start of the baseline; `size` is the type size. */
  | { kind: 'text'; at: Point; size: number; text: string; colour: string }

type Point = { x: number; y: number }

/** Dark enough to differ from paper in black and white, where the dashes distinguish them. */
export const colours = {
  text: '#000000',
  paper: '#ffffff',
  trim: '#000000',
  area: '#00509e',
  strip: '#6b4e00',
  window: '#00703c',
  refusal: '#b00020',
  note: '#7a4b00',
} as const

/** Slanting lines over a rectangle. The pattern is aligned over the whole page, so that rectangles may overlap. */
export function hatch({ x, y, width, height }: Rectangle, colour: string): Shape[] {
  const gap = 2.5
  const lines: Shape[] = []
  const [right, bottom] = [x + width, y + height]
  for (let sum = Math.ceil((x + y) / gap) * gap; sum < right + bottom; sum += gap) {
    lines.push({
      kind: 'line',
      from: { x: Math.min(right, sum - y), y: Math.max(y, sum - right) },
      to: { x: Math.max(x, sum - bottom), y: Math.min(bottom, sum - x) },
      colour,
      width: 0.15,
    })
  }
  return lines
}

/** Text on a coloured box with its top left at a point. */
export function tag(text: string, at: Point, colour: string): Shape[] {
  const size = 3
  const width = tagWidth(text)
  return [
    { kind: 'box', at: { ...at, width, height: size * 1.4 }, fill: colour },
    {
      kind: 'text',
      at: { x: at.x + 0.8, y: at.y + size * 1.08 },
      size,
      text: printable(text),
      colour: colours.paper,
    },
  ]
}

export function tagWidth(text: string): number {
  return proofWidth(printable(text)) * 3 + 1.6
}

const labelSize = 2.4

/** A label on white, readable over printed content. */
export function label(text: string, at: Point, colour: string): Shape[] {
  return [
    {
      kind: 'box',
      at: { ...at, width: labelWidth(text), height: labelSize * 1.35 },
      fill: colours.paper,
    },
    {
      kind: 'text',
      at: { x: at.x + 0.5, y: at.y + labelSize },
      size: labelSize,
      text: printable(text),
      colour,
    },
  ]
}

export function labelWidth(text: string): number {
  return proofWidth(printable(text)) * labelSize + 1
}

export function moved(shapes: readonly Shape[], { x, y }: Point): Shape[] {
  return shapes.map((shape) =>
    shape.kind === 'line'
      ? { ...shape, from: move(shape.from, x, y), to: move(shape.to, x, y) }
      : ({ ...shape, at: move(shape.at, x, y) } as Shape),
  )
}

function move<T extends Point>(point: T, x: number, y: number): T {
  return { ...point, x: point.x + x, y: point.y + y }
}
