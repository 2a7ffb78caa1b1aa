import { deflateSync } from 'node:zlib'

/** An object in a file: the text of its value, or a stream with the dictionary entries besides its length. */
export type ObjectSource =
  | string
  | { dictionary?: string; data: string | Uint8Array; length?: string }

export type PdfSource = {
  version?: string
  /** Additional entries of the catalogue, the first page, the page tree and the trailer. */
  catalog?: string
  page?: string
  pages?: string
  trailer?: string
  content?: ObjectSource
  /**
   * By number from 10. Numbers 1 to 5 are the catalogue, the page tree, the page, its content and its font, and may be
   * replaced.
   */
  objects?: Readonly<Record<number, ObjectSource>>
}

const pageContent = 'BT /F1 12 Tf 72 700 Td (Dear Sir or Madam) Tj ET'

/** Returns the objects of a letter of one page, with the given details. */
export function letterObjects({
  catalog = '',
  page = '',
  pages = '',
  content = { data: pageContent },
  objects = {},
}: PdfSource = {}): Record<number, ObjectSource> {
  return {
    1: `<</Type/Catalog/Pages 2 0 R ${catalog}>>`,
    2: `<</Type/Pages/Kids[3 0 R]/Count 1 ${pages}>>`,
    3: `<</Type/Page/Parent 2 0 R/MediaBox[0 0 595.28 841.89]/Resources<</Font<</F1 5 0 R>>>>/Contents 4 0 R ${page}>>`,
    4: content,
    5: '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
    ...objects,
  }
}

/** Returns a letter of one page in the oldest form: objects, a cross-reference table, a trailer. */
export function writePdf(source: PdfSource = {}): Uint8Array {
  const { version = '1.7', trailer = '' } = source
  return writeSection([Buffer.from(`%PDF-${version}\n%\xe2\xe3\xcf\xd3\n`, 'latin1')], {
    objects: letterObjects(source),
    trailer: `/Root 1 0 R ${trailer}`,
  })
}

/** Returns a letter whose page has the content of this stream. */
export function withContent(dictionary: string, data: string | Uint8Array): Uint8Array {
  return writePdf({ content: { dictionary, data } })
}

/** Returns the PDF with an update after it, whose objects replace those of the same number. */
export function updatePdf(
  pdf: Uint8Array,
  { objects, trailer = '' }: { objects: Readonly<Record<number, ObjectSource>>; trailer?: string },
): Uint8Array {
  const previous = Buffer.from(pdf)
    .toString('latin1')
    .match(/startxref\s+(\d+)\s+%%EOF\s*$/)![1]
  return writeSection([pdf], { objects, trailer: `/Root 1 0 R/Prev ${previous} ${trailer}` })
}

/** Returns a letter whose objects are in an object stream, with a cross-reference stream. */
export function packPdf(
  source: PdfSource = {},
  pack: (content: string, first: number, count: number) => ObjectSource = packed,
  /** A text whose position is listed as that of an object. */
  hidden?: string,
): Uint8Array {
  const { version = '1.7', trailer = '' } = source
  const all = Object.entries(letterObjects(source))
  const inside = all.filter(([, object]) => typeof object === 'string') as [string, string][]
  let header = ''
  let content = ''
  for (const [number, text] of inside) {
    header += `${number} ${content.length} `
    content += `${text} `
  }
  const chunks: Uint8Array[] = [Buffer.from(`%PDF-${version}\n%\xe2\xe3\xcf\xd3\n`, 'latin1')]
  const outside = all.filter(([, object]) => typeof object !== 'string')
  const packNumber = 8_000
  const places = new Map<number, number>()
  for (const [number, object] of [
    ...outside,
    [String(packNumber), pack(header + content, header.length, inside.length)] as const,
  ]) {
    places.set(Number(number), lengthOf(chunks))
    chunks.push(...writeObject(Number(number), object))
  }

  const startOfReferences = lengthOf(chunks)
  const entries: Buffer[] = []
  const index: number[] = []
  const entry = (type: number, place: number, third: number) => {
    const field = Buffer.alloc(7)
    field.writeUInt8(type, 0)
    field.writeUInt32BE(place, 1)
    field.writeUInt16BE(third, 5)
    return field
  }
  for (const [at, [number]] of inside.entries()) {
    index.push(Number(number), 1)
    entries.push(entry(2, packNumber, at))
  }
  for (const [number, place] of places) {
    index.push(number, 1)
    entries.push(entry(1, place, 0))
  }
  if (hidden !== undefined) {
    index.push(7_000, 1)
    entries.push(entry(1, Buffer.concat(chunks).indexOf(hidden), 0))
  }
  const dictionary = `/Type/XRef/Size ${packNumber + 2}/W[1 4 2]/Index[${index.join(' ')}]/Filter/FlateDecode/DecodeParms<</Columns 7/Predictor 12>>/Root 1 0 R ${trailer}`
  chunks.push(
    ...writeObject(packNumber + 1, { dictionary, data: deflateSync(predicted(entries)) }),
    Buffer.from(`startxref\n${startOfReferences}\n%%EOF\n`),
  )
  return Buffer.concat(chunks)
}

/** Encodes each row as its difference from the row above, as most writers do. */
function predicted(rows: readonly Buffer[]): Buffer {
  return Buffer.concat(
    rows.map((row, index) => {
      const above = rows[index - 1]
      return Buffer.from([2, ...row.map((byte, at) => byte - (above?.[at] ?? 0))])
    }),
  )
}

function packed(content: string, first: number, count: number): ObjectSource {
  return {
    dictionary: `/Type/ObjStm/N ${count}/First ${first}/Filter/FlateDecode`,
    data: deflateSync(Buffer.from(content, 'latin1')),
  }
}

function writeSection(
  before: Uint8Array[],
  { objects, trailer }: { objects: Readonly<Record<number, ObjectSource>>; trailer: string },
): Uint8Array {
  const chunks = [...before]
  const lines: string[] = []
  for (const [number, object] of Object.entries(objects)) {
    const place = String(lengthOf(chunks)).padStart(10, '0')
    lines.push(`${number} 1\n${place} 00000 n \n`)
    chunks.push(...writeObject(Number(number), object))
  }
  // Integer keys of an object are in ascending order.
  const size = Number(Object.keys(objects).at(-1)) + 1
  const end = `xref\n0 1\n0000000000 65535 f \n${lines.join('')}trailer\n<</Size ${size} ${trailer}>>\nstartxref\n${lengthOf(chunks)}\n%%EOF\n`
  chunks.push(Buffer.from(end, 'latin1'))
  return Buffer.concat(chunks)
}

function writeObject(number: number, object: ObjectSource): Uint8Array[] {
  if (typeof object === 'string')
    return [Buffer.from(`${number} 0 obj\n${object}\nendobj\n`, 'latin1')]
  const data = typeof object.data === 'string' ? Buffer.from(object.data, 'latin1') : object.data
  const { dictionary = '', length = data.length } = object
  return [
    Buffer.from(`${number} 0 obj\n<<${dictionary}/Length ${length}>>\nstream\n`, 'latin1'),
    data,
    Buffer.from('\nendstream\nendobj\n', 'latin1'),
  ]
}

const lengths = new WeakMap<Uint8Array[], { counted: number; bytes: number }>()

/** Counts each chunk once, because a file may have very many. */
function lengthOf(chunks: Uint8Array[]): number {
  const known = lengths.get(chunks) ?? { counted: 0, bytes: 0 }
  for (; known.counted < chunks.length; known.counted += 1) {
    known.bytes += chunks[known.counted]!.length
  }
  lengths.set(chunks, known)
  return known.bytes
}
