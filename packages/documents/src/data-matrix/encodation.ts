/** ASCII encodation of Data Matrix (ISO/IEC 16022:2006, 5.2.3): the shortest for texts that are mostly digits. */

const pad = 129
const digitPair = 130

/** Returns the codewords of a text: one for each pair of digits, and one for each other ASCII character. */
export function encodeAscii(text: string): number[] {
  const codewords: number[] = []
  for (let at = 0; at < text.length; at++) {
    const digit = digitAt(text, at)
    const next = digitAt(text, at + 1)
    if (digit !== undefined && next !== undefined) {
      codewords.push(digitPair + 10 * digit + next)
      at += 1
    } else {
      const code = text.charCodeAt(at)
      if (code > 127) throw new Error('A Data Matrix of Despatch contains only ASCII characters')
      codewords.push(code + 1)
    }
  }
  return codewords
}

/**
 * Returns the codewords, filled up with pads to the capacity of a symbol. Each pad but the first is randomised by its
 * position (Annex B.1), so that pads form no pattern.
 */
export function padTo(capacity: number, codewords: readonly number[]): Uint8Array {
  const padded = new Uint8Array(capacity)
  padded.set(codewords)
  if (codewords.length < capacity) padded[codewords.length] = pad
  for (let index = codewords.length + 1; index < capacity; index++) {
    const randomised = pad + ((149 * (index + 1)) % 253) + 1
    padded[index] = randomised > 254 ? randomised - 254 : randomised
  }
  return padded
}

function digitAt(text: string, at: number): number | undefined {
  const digit = text.charCodeAt(at) - 48
  return digit >= 0 && digit <= 9 ? digit : undefined
}
