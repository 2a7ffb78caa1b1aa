/**
 * Placement of codewords in the mapping matrix of a square Data Matrix, which is the symbol without its finder pattern
 * (ISO/IEC 16022:2006, 5.8.1 and Annex F).
 */

/** A module: row and column, from the top left. A negative one counts from the opposite edge. */
type Place = readonly [row: number, column: number]

/** In a placement, a module of the bottom right corner that shows no codeword. */
export const fixed = { light: -1, dark: -2 } as const
const free = -3

/** The modules of a codeword, the most significant bit first, relative to the last. */
const shape: readonly Place[] = [
  [-2, -2],
  [-2, -1],
  [-1, -2],
  [-1, -1],
  [-1, 0],
  [0, -2],
  [0, -1],
  [0, 0],
]

/** The first two special shapes of Annex F, in the corners. The other two occur only in larger and other symbols. */
const corner1: readonly Place[] = [
  [-1, 0],
  [-1, 1],
  [-1, 2],
  [0, -2],
  [0, -1],
  [1, -1],
  [2, -1],
  [3, -1],
]
const corner2: readonly Place[] = [
  [-3, 0],
  [-2, 0],
  [-1, 0],
  [0, -4],
  [0, -3],
  [0, -2],
  [0, -1],
  [1, -1],
]

const made = new Map<number, Int16Array>()

/**
 * Returns for each module, row by row, which bit it shows: 8 times the index of the codeword, plus the index of the bit
 * from the most significant. For matrices of 8 to 24 modules across. Made once per process for each size.
 */
export function placementOf(size: number): Int16Array {
  const known = made.get(size)
  if (known) return known

  const placement = place(size)
  made.set(size, placement)
  return placement
}

/** Codewords follow each other on diagonals, upwards to the right and downwards to the left in turn. */
function place(size: number): Int16Array {
  const placement = new Int16Array(size * size).fill(free)
  let codeword = 0

  function put(places: readonly Place[]): void {
    for (const [bit, [row, column]] of places.entries()) {
      placement[row * size + column] = 8 * codeword + bit
    }
    codeword += 1
  }

  function putShape(row: number, column: number): void {
    const isInside = row >= 0 && row < size && column >= 0 && column < size
    if (!isInside || placement[row * size + column] !== free) return
    put(shape.map(([down, right]) => wrap([row + down, column + right], size)))
  }

  let row = 4
  let column = 0
  do {
    if (column === 0 && row === size) put(fromEdges(corner1, size))
    if (column === 0 && row === size - 2 && size % 4 !== 0) put(fromEdges(corner2, size))
    do {
      putShape(row, column)
      row -= 2
      column += 2
    } while (row >= 0 && column < size)
    row += 1
    column += 3
    do {
      putShape(row, column)
      row += 2
      column -= 2
    } while (row < size && column >= 0)
    row += 3
    column += 1
  } while (row < size || column < size)
  if (placement.at(-1) === free) fixCorner(placement, size)
  return placement
}

/** What reaches over the upper or left edge continues at the opposite one, shifted so that it meets its neighbours. */
function wrap([row, column]: Place, size: number): Place {
  const shift = 4 - ((size + 4) % 8)
  const [down, right] = row < 0 ? [row + size, column + shift] : [row, column]
  return right < 0 ? [down + shift, right + size] : [down, right]
}

function fromEdges(places: readonly Place[], size: number): Place[] {
  return places.map(([row, column]) => [
    row < 0 ? row + size : row,
    column < 0 ? column + size : column,
  ])
}

/** Four modules of the bottom right corner may be left: two dark ones on the diagonal, and two light ones. */
function fixCorner(placement: Int16Array, size: number): void {
  const [upper, lower] = [size * (size - 1) - 2, size * size - 2]
  placement.set([fixed.dark, fixed.light], upper)
  placement.set([fixed.light, fixed.dark], lower)
}
