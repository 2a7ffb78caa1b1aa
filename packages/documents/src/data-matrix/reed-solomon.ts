/**
 * Error correction of Data Matrix ECC 200 (ISO/IEC 16022:2006, 5.7 and Annex E): Reed-Solomon codes over the field of
 * 256 elements.
 */

/** x^8 + x^5 + x^3 + x^2 + 1 */
const fieldPolynomial = 0b1_0010_1101
const order = 255

const { powers, logarithms } = makeTables()
const generators = new Map<number, Uint8Array>()

/** Returns the error correction codewords of the data, most significant first. */
export function errorCodewords(data: Uint8Array, count: number): Uint8Array {
  const generator = generatorOf(count)
  const remainder = new Uint8Array(count)
  for (const codeword of data) {
    const factor = codeword ^ remainder[0]!
    remainder.copyWithin(0, 1)
    remainder[count - 1] = 0
    for (let index = 0; index < count; index++) {
      remainder[index]! ^= multiply(factor, generator[index]!)
    }
  }
  return remainder
}

/**
 * Returns the generator polynomial (x - 2)(x - 2^2) … (x - 2^count), without its leading coefficient, which is 1. Made
 * once per process for each count.
 */
function generatorOf(count: number): Uint8Array {
  const known = generators.get(count)
  if (known) return known

  const generator = new Uint8Array(count)
  for (let degree = 1; degree <= count; degree++) {
    const root = powers[degree]!
    // Multiplies by (x - root). Subtraction is addition in this field.
    for (let index = degree - 1; index >= 0; index--) {
      const higher = index > 0 ? generator[index - 1]! : 1
      generator[index]! ^= multiply(higher, root)
    }
  }
  generators.set(count, generator)
  return generator
}

function multiply(one: number, other: number): number {
  return one === 0 || other === 0 ? 0 : powers[logarithms[one]! + logarithms[other]!]!
}

/** The powers of 2, twice in a row so that a sum of two logarithms is an index, and the logarithms to base 2. */
function makeTables() {
  const powers = new Uint8Array(2 * order)
  const logarithms = new Uint8Array(order + 1)
  let power = 1
  for (let exponent = 0; exponent < order; exponent++) {
    powers[exponent] = power
    powers[exponent + order] = power
    logarithms[power] = exponent
    power <<= 1
    if (power > order) power ^= fieldPolynomial
  }
  return { powers, logarithms }
}
