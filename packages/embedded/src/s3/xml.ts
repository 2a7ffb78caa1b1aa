import type { ServerResponse } from 'node:http'

type Value = string | number | boolean | { [name: string]: Value } | readonly Value[]

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Writes an XML element. A list is written as one element for each of its items. */
export function element(name: string, value: Value): string {
  if (Array.isArray(value)) return value.map((item: Value) => element(name, item)).join('')
  const content =
    typeof value === 'object'
      ? Object.entries(value)
          .map(([inner, item]) => element(inner, item))
          .join('')
      : String(value).replace(/[&<>"]/g, (character) => escapes[character]!)
  return `<${name}>${content}</${name}>`
}

const characters: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/** Returns the text of an element without child elements. Throws if it has a reference that XML does not know. */
export function unescapeXml(text: string): string {
  return text.replace(/&(?:#(\d+)|#x([\da-f]+)|(\w*));?/gi, (reference, decimal, hex, name) => {
    if (!reference.endsWith(';')) throw new Error('A reference does not end')
    const code = decimal ? Number(decimal) : Number.parseInt(hex ?? '', 16)
    const character = name === undefined ? String.fromCodePoint(code) : characters[name]
    if (character === undefined || /\p{Cs}/u.test(character)) throw new Error('No such character')
    return character
  })
}

export function xmlDocument(root: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${root}`
}

/** Answers with an XML document. The answer to a HEAD has its headers alone. */
export function sendXml(response: ServerResponse, status: number, root: string): void {
  const body = xmlDocument(root)
  response
    .writeHead(status, {
      'content-type': 'application/xml',
      'content-length': Buffer.byteLength(body),
    })
    .end(body)
}
