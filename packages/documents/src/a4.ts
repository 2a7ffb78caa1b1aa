/** Converts millimetres to points, the unit of a PDF. */
export function points(millimetres: number): number {
  return (millimetres * 72) / 25.4
}

/** A4 portrait, in points. */
export const a4 = { width: points(210), height: points(297) } as const
