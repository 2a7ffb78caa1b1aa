import type { Operand } from './content-operators.ts'

type Matrix = readonly [a: number, b: number, c: number, d: number, e: number, f: number]

const unchanged: Matrix = [1, 0, 0, 1, 0, 0]
/** More saved states than these are not distinguished. */
const savedMax = 1_000
/** A page of A4, in points. */
const pageArea = 596 * 842

/**
 * Follows the paths of a content: the area of the rectangle that encloses each, in the units of the content, the number
 * of dashes of its line, and whether it clips what follows by other shapes than rectangles.
 */
export function createPaths() {
  const saved: { matrix: Matrix; period: number }[] = []
  let matrix = unchanged
  /** Length of one dash and one gap, on average. 0: no dashes. */
  let period = 0
  let isClip = false
  let isRectangles = true
  let length = 0
  let [x, y] = [0, 0]
  let [left, bottom, right, top] = nowhere

  function include(px: number, py: number): void {
    const [a, b, c, d, e, f] = matrix
    const [dx, dy] = [a * px + c * py + e, b * px + d * py + f]
    left = Math.min(left, dx)
    right = Math.max(right, dx)
    bottom = Math.min(bottom, dy)
    top = Math.max(top, dy)
  }

  function to(px: number, py: number, isLine: boolean): void {
    if (isLine) length += Math.hypot(px - x, py - y)
    ;[x, y] = [px, py]
    include(px, py)
  }

  return {
    /** What is painted without a path may cover the page. */
    wholeArea: pageArea,

    /** Runs an operator that builds a path or changes how it is drawn. Returns false for any other. */
    take(name: string, operands: readonly Operand[]): boolean {
      const number = (fromEnd: number) => {
        const operand = operands.at(-fromEnd)
        return operand?.kind === 'number' ? operand.value : 0
      }
      switch (name) {
        case 'm':
        case 'l':
          if (name === 'l') isRectangles = false
          to(number(2), number(1), name === 'l')
          return true
        case 'c':
        case 'v':
        case 'y':
          isRectangles = false
          for (let at = name === 'c' ? 6 : 4; at > 0; at -= 2) to(number(at), number(at - 1), true)
          return true
        case 'h':
          return true
        case 're': {
          const [width, height] = [number(2), number(1)]
          to(number(4), number(3), false)
          include(x + width, y)
          include(x, y + height)
          include(x + width, y + height)
          length += 2 * (Math.abs(width) + Math.abs(height))
          return true
        }
        case 'W':
        case 'W*':
          isClip = true
          return true
        case 'd': {
          const list = operands.at(-2)
          const numbers = list?.kind === 'list' ? list.numbers : []
          const sum = numbers.reduce((all, each) => all + Math.abs(each), 0)
          period = numbers.length > 0 ? (sum / numbers.length) * 2 : 0
          return true
        }
        case 'cm': {
          const [a, b, c, d, e, f] = [6, 5, 4, 3, 2, 1].map(number) as unknown as Matrix
          matrix = multiplied([a, b, c, d, e, f], matrix)
          return true
        }
        default:
          return false
      }
    },

    /** Ends a path and returns what it demands. */
    end() {
      const extent = Math.max(right - left, 0) * Math.max(top - bottom, 0)
      const area = Math.min(Math.max(right - left, 1) * Math.max(top - bottom, 1), pageArea)
      const path = {
        area: Number.isFinite(area) ? area : pageArea,
        /** The area in pages. The edge of a page does not limit it. */
        pages: Number.isFinite(extent) ? extent / pageArea : 0,
        dashes: period > 0 ? Math.ceil(length / period) : 0,
        isClip: isClip && !isRectangles,
      }
      ;[isClip, isRectangles, length] = [false, true, 0]
      ;[left, bottom, right, top] = nowhere
      return path
    },

    /** Returns how much larger areas become by the matrix. */
    scale: () => Math.abs(matrix[0] * matrix[3] - matrix[1] * matrix[2]),

    save(): void {
      if (saved.length < savedMax) saved.push({ matrix, period })
    },

    restore(): void {
      ;({ matrix, period } = saved.pop() ?? { matrix, period })
    },
  }
}

const nowhere = [
  Number.POSITIVE_INFINITY,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
] as const as [number, number, number, number]

function multiplied([a, b, c, d, e, f]: Matrix, by: Matrix): Matrix {
  const [A, B, C, D, E, F] = by
  return [
    a * A + b * C,
    a * B + b * D,
    c * A + d * C,
    c * B + d * D,
    e * A + f * C + E,
    e * B + f * D + F,
  ]
}
