/**
 * Filters without a table. Each takes and yields chunks, so that no data is in memory as a whole. Throws on invalid
 * data.
 */

const tilde = 0x7e
const pieceBytes = 64 * 1024
const runBytesMax = 128

/** ISO 32000, 7.4.2: two digits per byte, until `>`. */
export async function* decodeAsciiHex(
  source: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  let high: number | undefined
  for await (const chunk of source) {
    const decoded = new Uint8Array(Math.ceil(chunk.length / 2) + 1)
    let length = 0
    let isEnded = false
    for (const byte of chunk) {
      if (byte === 0x3e) {
        isEnded = true
        break
      }
      if (byte <= 0x20) continue
      const digit = Number.parseInt(String.fromCharCode(byte), 16)
      if (Number.isNaN(digit)) throw new Error('not a hexadecimal digit')
      if (high === undefined) high = digit
      else {
        decoded[length++] = high * 16 + digit
        high = undefined
      }
    }
    yield decoded.subarray(0, length)
    if (isEnded) break
  }
  if (high !== undefined) yield Uint8Array.of(high * 16)
}

/** ISO 32000, 7.4.3: five characters per four bytes, `z` for four zeros, until `~>`. */
export async function* decodeAscii85(
  source: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const group: number[] = []
  for await (const chunk of source) {
    const decoded = new Uint8Array(chunk.length * 4 + 4)
    let length = 0
    let isEnded = false
    for (const byte of chunk) {
      if (byte === tilde) {
        isEnded = true
        break
      }
      if (byte <= 0x20) continue
      if (byte === 0x7a && group.length === 0) length += 4
      else if (byte < 0x21 || byte > 0x75) throw new Error('not a character of ASCII85')
      else if (group.push(byte - 0x21) === 5) {
        decoded.set(bytesOf(group), length)
        length += 4
        group.length = 0
      }
    }
    yield decoded.subarray(0, length)
    if (isEnded) break
  }
  if (group.length > 1) {
    const count = group.length - 1
    while (group.length < 5) group.push(84)
    yield bytesOf(group).subarray(0, count)
  }
}

/** ISO 32000, 7.4.5: up to 128 literal bytes, or one byte repeated up to 128 times, until 128. */
export async function* decodeRunLength(
  source: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const decoded = new Uint8Array(pieceBytes + runBytesMax)
  let filled = 0
  let literal = 0
  let repeat = 0
  for await (const chunk of source) {
    for (const byte of chunk) {
      if (literal > 0) {
        decoded[filled++] = byte
        literal -= 1
      } else if (repeat > 0) {
        decoded.fill(byte, filled, filled + repeat)
        filled += repeat
        repeat = 0
      } else if (byte === 128) {
        yield decoded.slice(0, filled)
        return
      } else if (byte < 128) literal = byte + 1
      else repeat = 257 - byte
      if (filled >= pieceBytes) {
        yield decoded.slice(0, filled)
        filled = 0
      }
    }
  }
  yield decoded.slice(0, filled)
}

function bytesOf(group: readonly number[]): Uint8Array {
  const value = group.reduce((sum, digit) => sum * 85 + digit, 0)
  if (value > 0xffffffff) throw new Error('not a group of ASCII85')
  return Uint8Array.of(value >>> 24, value >>> 16, value >>> 8, value)
}
