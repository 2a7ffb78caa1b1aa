import type { Finding, Rectangle } from '@despatch/domain/preflight/finding'
import { numberOf } from '@despatch/domain/preflight/rules'
import type { Size } from './page-geometry.ts'
import { colours, hatch, label, labelWidth, type Shape, tag, tagWidth } from './proof-shapes.ts'
import { proofWidth } from './proof-text.ts'
import type { Zones } from './zones.ts'

const dashes = {
  area: [3, 1.5],
  strip: [0.6, 0.8],
  window: [4, 1, 1, 1],
  note: [2.5, 0.8],
} as const
/** Between a finding's rectangle and the line around it, in millimetres. */
const clearance = 0.8
const tagHeight = 4.2
const keySize = 2.8

/** Returns the zones of an A4 page, to draw over its picture. */
export function zoneShapes({ areas, strips, window }: Zones): Shape[] {
  return [
    ...strips.flatMap((strip) => hatch(strip, colours.strip)),
    ...strips.map((strip) => outline(strip, colours.strip, { width: 0.25, dashes: dashes.strip })),
    ...areas.map((area) => outline(area, colours.area, { width: 0.3, dashes: dashes.area })),
    ...(window ? [outline(window, colours.window, { width: 0.4, dashes: dashes.window })] : []),
    ...(window ? labelIn(window, 'address window', colours.window) : []),
    ...areas.slice(0, 1).flatMap((area) => labelIn(area, 'printable area', colours.area)),
  ]
}

/** The edge of the paper. */
export function trimShape({ width, height }: Size): Shape {
  return outline({ x: 0, y: 0, width, height }, colours.trim, { width: 0.3 })
}

/** Returns the findings of a page with the numbers of their rules. A finding without a place is shown at the top. */
export function findingShapes(findings: readonly Finding[], size: Size): Shape[] {
  let placeless = 0
  return findings.flatMap((finding) => {
    const isRefusal = finding.severity === 'refusal'
    const colour = isRefusal ? colours.refusal : colours.note
    const number = numberOf(finding.rule)
    if (finding.rectangle) return frame(finding.rectangle, { number, colour, isRefusal, size })
    const x = 8 + placeless++ * (tagWidth(number) + 2)
    return tag(number, { x, y: 8 }, colour)
  })
}

function frame(
  rectangle: Rectangle,
  {
    number,
    colour,
    isRefusal,
    size,
  }: { number: string; colour: string; isRefusal: boolean; size: Size },
): Shape[] {
  const around = {
    x: rectangle.x - clearance,
    y: rectangle.y - clearance,
    width: rectangle.width + 2 * clearance,
    height: rectangle.height + 2 * clearance,
  }
  const isAtTop = around.y - tagHeight < 0
  return [
    outline(around, colours.paper, { width: 1.4 }),
    outline(around, colour, { width: 0.7, ...(!isRefusal && { dashes: dashes.note }) }),
    ...tag(
      number,
      {
        x: Math.max(0, Math.min(around.x - 0.35, size.width - tagWidth(number))),
        y: isAtTop ? around.y + around.height : around.y - tagHeight,
      },
      colour,
    ),
  ]
}

const keys = [
  { text: 'printable area', colour: colours.area, width: 0.3, dashes: dashes.area },
  { text: 'kept for marks', colour: colours.strip, width: 0.25, dashes: dashes.strip },
  { text: 'address window', colour: colours.window, width: 0.4, dashes: dashes.window },
  { text: 'edge of the paper', colour: colours.trim, width: 0.3 },
  { text: 'refused', colour: colours.refusal, width: 0.7 },
  { text: 'noted', colour: colours.note, width: 0.7, dashes: dashes.note },
] as const

/** Returns the legend of a proof's lines, in one row. */
export function keyShapes(): Shape[] {
  let x = 0
  return keys.flatMap(({ text, colour, ...line }) => {
    const sample = { x, y: 0, width: 6, height: 3 }
    const textAt = { x: x + 7, y: 2.5 }
    x = textAt.x + proofWidth(text) * keySize + 5
    return [
      ...(text === 'kept for marks' ? hatch(sample, colour) : []),
      outline(sample, colour, line),
      { kind: 'text', at: textAt, size: keySize, text, colour: colours.text } as const,
    ]
  })
}

function outline(
  at: Rectangle,
  colour: string,
  line: { width: number; dashes?: readonly number[] },
): Shape {
  const { x, y, width, height } = at
  return { kind: 'outline', at: { x, y, width, height }, colour, ...line }
}

/** In the lower right corner, because people and marks begin on the left. */
function labelIn({ x, y, width, height }: Rectangle, text: string, colour: string): Shape[] {
  const at = { x: x + width - labelWidth(text) - 1, y: y + height - 4 }
  return label(text, at, colour)
}
