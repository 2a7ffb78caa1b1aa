/** A page in grey: one byte per pixel, rows from the top. */
type Grey = { width: number; height: number; grey: Uint8Array }

/** Less is a matter of how edges are smoothed. */
const visible = 64

/**
 * Returns how many of a thousand pixels differ visibly between two pictures of a page, or how many squares
 * with sides of `cell` pixels do on average: scaled pictures differ at their edges. A row or column that only one of them
 * has, since the other rounds the page's size down, is not counted. A larger difference of size is 1000.
 */
export function differingPerMille(one: Grey, other: Grey, cell = 1): number {
  const isOtherSize =
    Math.abs(one.width - other.width) > 1 || Math.abs(one.height - other.height) > 1
  if (isOtherSize) return 1000

  const width = Math.min(one.width, other.width)
  const height = Math.min(one.height, other.height)
  let differing = 0
  for (let y = 0; y + cell <= height; y += cell) {
    for (let x = 0; x + cell <= width; x += cell) {
      const difference = sumOf(one, { x, y, cell }) - sumOf(other, { x, y, cell })
      if (Math.abs(difference) >= visible * cell * cell) differing++
    }
  }
  return (differing * 1000) / (Math.floor(width / cell) * Math.floor(height / cell))
}

type Cell = { x: number; y: number; cell: number }

function sumOf({ width, grey }: Grey, { x, y, cell }: Cell): number {
  let sum = 0
  for (let row = y; row < y + cell; row++) {
    for (let column = x; column < x + cell; column++) sum += grey[row * width + column]!
  }
  return sum
}
