import { createHash, type Hash } from 'node:crypto'
import { a4 } from './a4.ts'
import { fontObjects, type PdfObject } from './font-objects.ts'
import type { FontSubset } from './font-subset.ts'

/** What differs between PDFs of one page with the same subset of the typeface. */
export type OnePage = {
  /** Operators in ASCII. The fonts `Address` and `Mark` are both the subset. */
  operators: string
  title: string
  /** The only time in the document. */
  at: Date
}

/** The beginning of a PDF that has the same bytes in many others: its hash, and how many bytes it has. */
export type SharedBeginning = { sha256: string; bytes: number }

/** The first objects of such PDFs. They have the same numbers, places and bytes in each. */
type Beginning = { bytes: Buffer; hash: Hash; table: string; shared: SharedBeginning }

const number = {
  program: 1,
  descriptor: 2,
  cidFont: 3,
  unicodeMap: 4,
  font: 5,
  page: 6,
  pages: 7,
  catalogue: 8,
  content: 9,
  information: 10,
} as const
const size = 11

const beginnings = new WeakMap<FontSubset, Beginning>()

/**
 * Writes a PDF of one A4 page. Equal arguments return equal bytes. The typeface, the page and the page tree are written
 * and hashed once for each subset, because they are most of the file: the rest of it then takes a few microseconds.
 */
export function writeOnePagePdf(
  { operators, title, at }: OnePage,
  subset: FontSubset,
): { pdf: Uint8Array; sha256: string; beginning: SharedBeginning } {
  const beginning = beginningOf(subset)
  const content = object(
    number.content,
    `<< /Length ${operators.length} >>\nstream\n${operators}\nendstream`,
  )
  const information = object(number.information, describe(title, at))
  const contentAt = beginning.bytes.length
  const informationAt = contentAt + content.length
  const tableAt = informationAt + information.length
  const rest = Buffer.from(
    `${content}${information}${beginning.table}${tableLine(contentAt)}${tableLine(informationAt)}` +
      `trailer\n<< /Size ${size} /Root ${number.catalogue} 0 R /Info ${number.information} 0 R >>\n` +
      `startxref\n${tableAt}\n%%EOF\n`,
    'latin1',
  )
  return {
    pdf: Buffer.concat([beginning.bytes, rest]),
    sha256: beginning.hash.copy().update(rest).digest('hex'),
    beginning: beginning.shared,
  }
}

function beginningOf(subset: FontSubset): Beginning {
  const known = beginnings.get(subset)
  if (known) return known

  const beginning = writeBeginning(subset)
  beginnings.set(subset, beginning)
  return beginning
}

function writeBeginning(subset: FontSubset): Beginning {
  // The bytes over 127 tell programs that the file is binary.
  const parts: Uint8Array[] = [Buffer.from('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n', 'latin1')]
  let length = parts[0]!.length
  let table = `xref\n0 ${size}\n0000000000 65535 f \n`
  for (const each of [...fontObjects(subset, number), ...pageObjects()]) {
    const bytes = objectBytes(each)
    table += tableLine(length)
    length += bytes.length
    parts.push(bytes)
  }
  const bytes = Buffer.concat(parts)
  const hash = createHash('sha256').update(bytes)
  const shared = { sha256: hash.copy().digest('hex'), bytes: bytes.length }
  return { bytes, hash, table, shared }
}

function pageObjects(): PdfObject[] {
  const { font, page, pages, catalogue, content } = number
  const fonts = `<< /Address ${font} 0 R /Mark ${font} 0 R >>`
  return [
    {
      number: page,
      dictionary:
        `<< /Type /Page /Parent ${pages} 0 R /Resources << /Font ${fonts} >> ` +
        `/MediaBox [ 0 0 ${a4.width} ${a4.height} ] /Contents ${content} 0 R >>`,
    },
    { number: pages, dictionary: `<< /Type /Pages /Kids [ ${page} 0 R ] /Count 1 >>` },
    { number: catalogue, dictionary: `<< /Type /Catalog /Pages ${pages} 0 R >>` },
  ]
}

function objectBytes({ number, dictionary, stream }: PdfObject): Buffer {
  if (!stream) return Buffer.from(object(number, dictionary))
  return Buffer.concat([
    Buffer.from(`${number} 0 obj\n${dictionary}\nstream\n`),
    stream,
    Buffer.from('\nendstream\nendobj\n'),
  ])
}

function object(number: number, body: string): string {
  return `${number} 0 obj\n${body}\nendobj\n`
}

function tableLine(offset: number): string {
  return `${String(offset).padStart(10, '0')} 00000 n \n`
}

function describe(title: string, at: Date): string {
  const text = Buffer.from(`\ufeff${title}`, 'utf16le').swap16().toString('hex')
  const date = `(D:${at.toISOString().replaceAll(/[-:T]/g, '').slice(0, 14)}Z)`
  return `<< /Title <${text}> /Producer (Despatch) /CreationDate ${date} /ModDate ${date} >>`
}
