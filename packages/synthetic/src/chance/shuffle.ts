/** The largest set that can be shuffled. */
const sizeMax = 2 ** 32

/**
 * Returns a function from a place to a number from 0 to `size` - 1, in an order that looks random, without storing a
 * list. Different places have different numbers. It is a Feistel network over the next power of four, repeated until
 * the result is below `size`. Throws if the size is not from 1 to 2³².
 */
export function createShuffle(size: number, key: number): (place: number) => number {
  if (!Number.isInteger(size) || size < 1 || size > sizeMax) {
    throw new Error(`size of a shuffle is ${size}, not from 1 to ${sizeMax}`)
  }
  const halfBits = Math.max(1, Math.ceil(Math.log2(size) / 2))
  const half = 2 ** halfBits
  const mask = half - 1
  const keys = [0x9e3779b1, 0x85ebca6b, 0xc2b2ae35, 0x27d4eb2f].map((constant) =>
    mix(mix(key) ^ Math.floor(key / 2 ** 32) ^ constant),
  )
  const [first = 0, second = 0, third = 0, fourth = 0] = keys

  const walk = (value: number): number => {
    let left = Math.floor(value / half)
    let right = value % half
    left ^= mix(right ^ first) & mask
    right ^= mix(left ^ second) & mask
    left ^= mix(right ^ third) & mask
    right ^= mix(left ^ fourth) & mask
    return left * half + right
  }

  return (place) => {
    let value = walk(place)
    while (value >= size) value = walk(value)
    return value
  }
}

/** Spreads every bit over all 32. */
function mix(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 16), 0x7feb352d)
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x846ca68b)
  return (mixed ^ (mixed >>> 16)) >>> 0
}
