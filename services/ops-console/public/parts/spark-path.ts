export const sparkWidth = 96
export const sparkHeight = 20
/** Leaves room for half the width of the line. */
const margin = 2
const dash = 2

/** Returns the path of a line of shares, 1 at the top. A value between two gaps is a dash. */
export function sparkPath(shares: readonly (number | null)[]): string {
  const step = (sparkWidth - 2 * margin) / Math.max(1, shares.length - 1)
  return shares
    .flatMap((share, index) => {
      if (share === null) return []
      const x = round(margin + index * step)
      const y = round(margin + (1 - share) * (sparkHeight - 2 * margin))
      if (typeof shares[index - 1] === 'number') return `L${x} ${y}`
      return typeof shares[index + 1] === 'number'
        ? `M${x} ${y}`
        : `M${round(x - dash / 2)} ${y}h${dash}`
    })
    .join('')
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
