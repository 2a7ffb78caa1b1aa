/** An operator of a content stream, and the last of its operands. */
type Operator = { name: string; operands: readonly Operand[] }

/** `name` for a name; `text` for a string, with its number of bytes; `list` for an array with its numbers. */
export type Operand =
  | { kind: 'number'; value: number }
  | { kind: 'name'; value: string }
  | { kind: 'text'; bytes: number }
  | { kind: 'list'; numbers: readonly number[]; textBytes: number }
  | { kind: 'other' }

/** Operands before these are forgotten, as PDFium does. */
const operandsMax = 32
const numbersMax = 1_024
const other: Operand = { kind: 'other' }

const isSpace = tableOf('\0\t\n\f\r ')
const isDelimiter = tableOf('()<>[]{}/%')
const isNumeric = tableOf('0123456789+-.')

/**
 * Yields the operators of a content stream. Reads each byte once and never throws: what is not content yields operators
 * without a meaning. The data of an inline image is skipped.
 */
export function* readOperators(bytes: Uint8Array): Generator<Operator> {
  let operands: Operand[] = []
  let list: { numbers: number[]; textBytes: number } | undefined
  let at = 0

  const put = (operand: Operand) => {
    if (list) {
      if (operand.kind === 'number' && list.numbers.length < numbersMax) {
        list.numbers.push(operand.value)
      }
      if (operand.kind === 'text') list.textBytes += operand.bytes
      return
    }
    operands.push(operand)
    if (operands.length > operandsMax) operands.shift()
  }

  while (at < bytes.length) {
    const byte = bytes[at]!
    if (isSpace[byte]) at += 1
    else if (byte === 0x25) at = endOfLine(bytes, at)
    else if (byte === 0x28) {
      const end = endOfString(bytes, at)
      put({ kind: 'text', bytes: end - at - 2 })
      at = end
    } else if (byte === 0x3c && bytes[at + 1] !== 0x3c) {
      const end = bytes.indexOf(0x3e, at)
      put({ kind: 'text', bytes: Math.ceil(((end < 0 ? bytes.length : end) - at - 1) / 2) })
      at = end < 0 ? bytes.length : end + 1
    } else if (byte === 0x5b) {
      list = { numbers: [], textBytes: 0 }
      at += 1
    } else if (byte === 0x5d) {
      const ended = list
      list = undefined
      if (ended) put({ kind: 'list', ...ended })
      at += 1
    } else if (byte === 0x2f) {
      const end = endOfWord(bytes, at + 1)
      put({ kind: 'name', value: nameOf(bytes, at + 1, end) })
      at = end
    } else if (isDelimiter[byte]) at += 1
    else {
      const end = endOfWord(bytes, at)
      const value = isNumeric[byte] ? numberOf(bytes, at, end) : Number.NaN
      const word = Number.isNaN(value) ? latin1(bytes, at, end) : ''
      at = end
      if (word === '') put({ kind: 'number', value })
      else if (word === 'true' || word === 'false' || word === 'null') put(other)
      else {
        yield { name: word, operands }
        operands = []
        list = undefined
        if (word === 'ID') at = endOfImage(bytes, at)
      }
    }
  }
}

function endOfLine(bytes: Uint8Array, from: number): number {
  let at = from
  while (at < bytes.length && bytes[at] !== 0x0a && bytes[at] !== 0x0d) at += 1
  return at
}

function endOfString(bytes: Uint8Array, from: number): number {
  let depth = 0
  for (let at = from; at < bytes.length; at += 1) {
    if (bytes[at] === 0x5c) at += 1
    else if (bytes[at] === 0x28) depth += 1
    else if (bytes[at] === 0x29) {
      depth -= 1
      if (depth === 0) return at + 1
    }
  }
  return bytes.length
}

function endOfWord(bytes: Uint8Array, from: number): number {
  let at = from
  while (at < bytes.length && !isSpace[bytes[at]!] && !isDelimiter[bytes[at]!]) at += 1
  return at
}

/** The data ends at the first `EI` between white space. */
function endOfImage(bytes: Uint8Array, from: number): number {
  for (let at = bytes.indexOf(0x45, from); at >= 0; at = bytes.indexOf(0x45, at + 1)) {
    const after = bytes[at + 2]
    const isAlone = isSpace[bytes[at - 1]!] && (after === undefined || isSpace[after])
    if (bytes[at + 1] === 0x49 && isAlone) return at
  }
  return bytes.length
}

function nameOf(bytes: Uint8Array, from: number, to: number): string {
  const name = latin1(bytes, from, to)
  return name.includes('#')
    ? name.replace(/#([0-9a-f]{2})/gi, (_, digits) =>
        String.fromCharCode(Number.parseInt(digits, 16)),
      )
    : name
}

/** NaN if it is not a number. Most numbers have few digits and need no text. */
function numberOf(bytes: Uint8Array, from: number, to: number): number {
  let value = 0
  let scale = 0
  let at = bytes[from] === 0x2d ? from + 1 : from
  for (; at < to; at += 1) {
    const byte = bytes[at]!
    if (byte === 0x2e && scale === 0) scale = 1
    else if (byte >= 0x30 && byte <= 0x39 && value < 1e15) {
      value = value * 10 + byte - 0x30
      scale *= 10
    } else return Number(latin1(bytes, from, to))
  }
  const size = scale > 1 ? value / scale : value
  return bytes[from] === 0x2d ? -size : size
}

function latin1(bytes: Uint8Array, from: number, to: number): string {
  let text = ''
  for (let at = from; at < to; at += 1) text += String.fromCharCode(bytes[at]!)
  return text
}

function tableOf(characters: string): Uint8Array {
  const table = new Uint8Array(256)
  for (const character of characters) table[character.charCodeAt(0)] = 1
  return table
}
