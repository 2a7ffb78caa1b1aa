const clearTable = 256
const endOfData = 257
const firstFree = 258
const tableSizeMax = 4096
const pieceBytes = 64 * 1024

/**
 * ISO 32000, 7.4.4: codes of 9 to 12 bits, each for a string seen before. Takes chunks and yields chunks of at most
 * 68 KiB. Throws on an undefined code. `earlyChange` is 1 if codes grow one code early, which is usual.
 */
export async function* decodeLzw(
  source: AsyncIterable<Uint8Array>,
  earlyChange: 0 | 1,
): AsyncGenerator<Uint8Array> {
  const table = {
    prefix: new Uint16Array(tableSizeMax),
    last: new Uint8Array(tableSizeMax),
    first: new Uint8Array(tableSizeMax),
    length: new Uint16Array(tableSizeMax),
    size: firstFree,
  }
  for (let byte = 0; byte < 256; byte += 1) {
    table.last[byte] = byte
    table.first[byte] = byte
    table.length[byte] = 1
  }
  let previous = -1
  let width = 9
  let bits = 0
  let bitCount = 0
  const decoded = new Uint8Array(pieceBytes + tableSizeMax)
  let filled = 0

  for await (const chunk of source) {
    for (const byte of chunk) {
      bits = ((bits << 8) | byte) & 0xffffff
      bitCount += 8
      if (bitCount < width) continue
      bitCount -= width
      const code = (bits >> bitCount) & ((1 << width) - 1)
      if (code === endOfData) {
        yield decoded.slice(0, filled)
        return
      }
      if (code === clearTable) {
        table.size = firstFree
        width = 9
        previous = -1
        continue
      }
      const isKnown = code < 256 || (code >= firstFree && code < table.size)
      const isNext = code === table.size && previous >= 0 && table.size < tableSizeMax
      if (!isKnown && !isNext) throw new Error('an LZW code without a meaning')

      if (previous >= 0 && table.size < tableSizeMax) {
        const added = table.size
        table.prefix[added] = previous
        table.first[added] = table.first[previous]!
        table.last[added] = table.first[isKnown ? code : previous]!
        table.length[added] = table.length[previous]! + 1
        table.size += 1
      }
      const length = table.length[code]!
      for (let at = filled + length - 1, each = code; at >= filled; at -= 1) {
        decoded[at] = table.last[each]!
        each = table.prefix[each]!
      }
      filled += length
      previous = code
      if (filled >= pieceBytes) {
        yield decoded.slice(0, filled)
        filled = 0
      }
      const next = table.size + earlyChange
      width = next >= 2048 ? 12 : next >= 1024 ? 11 : next >= 512 ? 10 : 9
    }
  }
  yield decoded.slice(0, filled)
}
