/**
 * Returns whether a content shows exactly this text, white space aside. Only text in an encoding of one byte per
 * character is recognised, because others need the font to be read.
 */
export function showsText(content: Uint8Array, text: string): boolean {
  return withoutSpace(stringsIn(content)) === withoutSpace(text)
}

const literal = /\((?:\\[\s\S]|[^\\()]|\((?:\\[\s\S]|[^\\()])*\))*\)|<([0-9A-Fa-f\s]*)>/g
const escapes = /\\(?:([0-7]{1,3})|\r\n|([\s\S]))/g
const escaped: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' }

/** Returns all strings of a content, one after the other. */
function stringsIn(content: Uint8Array): string {
  const source = Buffer.from(content).toString('latin1')
  let shown = ''
  for (const [whole, hex] of source.matchAll(literal)) {
    shown +=
      hex === undefined
        ? unescaped(whole.slice(1, -1))
        : Buffer.from(hex.replaceAll(/\s/g, ''), 'hex').toString('latin1')
  }
  return shown
}

function unescaped(text: string): string {
  return text.replaceAll(escapes, (_, octal: string | undefined, character: string | undefined) => {
    if (octal) return String.fromCharCode(Number.parseInt(octal, 8))
    if (!character || character === '\n' || character === '\r') return ''
    return escaped[character] ?? character
  })
}

function withoutSpace(text: string): string {
  return text.replaceAll(/\s/g, '')
}
