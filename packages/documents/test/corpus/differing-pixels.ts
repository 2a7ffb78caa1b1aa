/** A page in grey: one byte per pixel, rows from the top. */
type Grey = { width: number; height: number; grey: Uint8Array }

/** Less is a matter of how edges are smoothed. */
const visible = 64

/**
 * Returns how many of a thousand pixels differ visibly between two pictures of a page. A row or column that only one
 * of them has, since the other rounds the page's size down, is not counted. A larger difference of size is 1000.
 */
export function differingPerMille(one: Grey, other: Grey): number {
  const isOtherSize =
    Math.abs(one.width - other.width) > 1 || Math.abs(one.height - other.height) > 1
  if (isOtherSize) return 1000

  const width = Math.min(one.width, other.width)
  const height = Math.min(one.height, other.height)
  let differing = 0
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const difference = one.grey[y * one.width + x]! - other.grey[y * other.width + x]!
      if (Math.abs(difference) >= visible) differing++
    }
  }
  return (differing * 1000) / (width * height)
}
