import type { Finding } from '@despatch/domain/preflight/finding'
import { numberOf } from '@despatch/domain/preflight/rules'
import { colours, type Shape, tag, tagWidth } from './proof-shapes.ts'
import { printable, wrap } from './proof-text.ts'

/** Shapes that need a height, with their top left at 0, 0. */
export type Block = { shapes: Shape[]; height: number }

const size = 3.2
const leading = 4.4

/** Returns a finding as listed: the number of its rule and its sentence. */
export function findingBlock(finding: Finding, width: number): Block {
  const isRefusal = finding.severity === 'refusal'
  const number = numberOf(finding.rule)
  const indent = tagWidth(number) + 2
  const text = isRefusal ? finding.detail : `Note: ${finding.detail}`
  const sentence = textBlock(text, { width: width - indent, x: indent })
  return {
    shapes: [
      ...tag(number, { x: 0, y: 0 }, isRefusal ? colours.refusal : colours.note),
      ...sentence.shapes,
    ],
    height: Math.max(sentence.height, 4.4) + 1.4,
  }
}

export function textBlock(
  text: string,
  { width, x = 0, scale = 1 }: { width: number; x?: number; scale?: number },
): Block {
  const lines = wrap(printable(text), width / (size * scale))
  return {
    shapes: lines.map((line, index) => ({
      kind: 'text',
      at: { x, y: (3.2 + index * leading) * scale },
      size: size * scale,
      text: line,
      colour: colours.text,
    })),
    height: lines.length * leading * scale,
  }
}
