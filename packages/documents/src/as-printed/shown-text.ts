/**
 * Returns all strings of a content, one after the other, without white space and no longer than `charactersMax`. Only
 * text in an encoding of one byte per character can be recognised, because others need the font to be read.
 */
export function shownText(content: Uint8Array, charactersMax: number): string {
  let shown = ''
  for (const text of stringsIn(content)) {
    shown += withoutSpace(text)
    if (shown.length > charactersMax) return shown.slice(0, charactersMax)
  }
  return shown
}

export function withoutSpace(text: string): string {
  return text.replaceAll(/\s/g, '')
}

const opening = 0x28
const closing = 0x29
const backslash = 0x5c
const hexOpening = 0x3c
const hexClosing = 0x3e
const escapes = /\\(?:([0-7]{1,3})|\r\n|([\s\S]))/g
const escaped: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' }

/** Reads each byte once. A string without an end has none. */
function* stringsIn(content: Uint8Array): Generator<string> {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength)
  let at = 0
  while (at < bytes.length) {
    const from = at + 1
    if (bytes[at] === opening) {
      at = endOfString(bytes, at)
      yield unescaped(bytes.toString('latin1', from, at - 1))
    } else if (bytes[at] === hexOpening && bytes[from] === hexOpening) {
      at = from + 1
    } else if (bytes[at] === hexOpening) {
      const end = bytes.indexOf(hexClosing, from)
      at = end < 0 ? bytes.length : end + 1
      yield Buffer.from(withoutSpace(bytes.toString('latin1', from, at - 1)), 'hex').toString(
        'latin1',
      )
    } else at = from
  }
}

function endOfString(bytes: Uint8Array, from: number): number {
  let depth = 0
  for (let at = from; at < bytes.length; at += 1) {
    if (bytes[at] === backslash) at += 1
    else if (bytes[at] === opening) depth += 1
    else if (bytes[at] === closing) {
      depth -= 1
      if (depth === 0) return at + 1
    }
  }
  return bytes.length
}

function unescaped(text: string): string {
  return text.replaceAll(escapes, (_, octal: string | undefined, character: string | undefined) => {
    if (octal) return String.fromCharCode(Number.parseInt(octal, 8))
    if (!character || character === '\n' || character === '\r') return ''
    return escaped[character] ?? character
  })
}
