/** The kinds that people send although they cannot be printed, by signatures of four bytes or more. */
const signatures: readonly { kind: string; at?: number; begins: readonly string[] }[] = [
  {
    kind: 'a ZIP archive (Word, Excel, OpenDocument)',
    begins: ['PK\x03\x04', 'PK\x05\x06'],
  },
  { kind: 'a Word, Excel or PowerPoint file', begins: ['\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1'] },
  { kind: 'an RTF file', begins: ['{\\rtf'] },
  { kind: 'a PostScript file', begins: ['%!PS'] },
  { kind: 'a WebP image', at: 8, begins: ['WEBP'] },
  {
    kind: 'a HEIC image',
    at: 4,
    begins: ['heic', 'heix', 'heim', 'heis', 'hevc', 'hevx', 'mif1', 'msf1'].map(ftyp),
  },
  { kind: 'an AVIF image', at: 4, begins: ['avif', 'avis'].map(ftyp) },
]

const markup = [
  { kind: 'an SVG image', pattern: /^(?:<\?xml[^>]*>)?\s*<svg[\s>]/i },
  { kind: 'an HTML page', pattern: /^<(?:!doctype html|html|head|body)[\s>]/i },
  { kind: 'an XML file', pattern: /^<\?xml\s/i },
]

/** How many of its first bytes tell the kind of a file. */
export const startBytes = 256

/**
 * Returns what a file looks like that cannot be printed, as a noun with its article, or undefined. `start`: its first
 * `startBytes` bytes. Recognises Office, RTF, PostScript, WebP, HEIC, AVIF, HTML, SVG and XML, and a PDF that does not
 * begin with its signature.
 */
export function unprintableKind(start: Uint8Array): string | undefined {
  const text = Buffer.from(start).toString('latin1')
  const known = signatures.find(({ at = 0, begins }) =>
    begins.some((signature) => text.startsWith(signature, at)),
  )
  if (known) return known.kind
  const words = text.replace(/^(?:\xef\xbb\xbf)?\s*/, '')
  const marked = markup.find(({ pattern }) => pattern.test(words))
  if (marked) return marked.kind
  return text.indexOf('%PDF-') > 0 ? 'a PDF file with other bytes in front of %PDF-' : undefined
}

function ftyp(brand: string): string {
  return `ftyp${brand}`
}
