import { constants, deflateSync } from 'node:zlib'
import { PDFDocument, PDFName, StandardFonts } from 'pdf-lib'
import { packPdf, updatePdf, withContent, writePdf } from './write-pdf.ts'

/** PDFs that resemble refused ones but are allowed. All of them must print. */
export async function harmlessPdfs(): Promise<Record<string, Uint8Array>> {
  return {
    'the plainest letter': writePdf(),
    'what pdf-lib writes': await written(),
    'what pdf-lib writes without object streams': await written({ useObjectStreams: false }),
    "LibreOffice's destination to open at": writePdf({
      catalog: '/OpenAction[3 0 R /XYZ null null 0]',
    }),
    'a catalogue and pages without their types': writePdf({
      objects: {
        1: '<</Pages 2 0 R>>',
        2: '<</Kids[10 0 R]/Count 1>>',
        3: '<</Parent 10 0 R/MediaBox[0 0 595.28 841.89]/Contents 4 0 R>>',
        10: '<</Parent 2 0 R/Kids[3 0 R]/Count 1>>',
      },
    }),
    'an action to go to a page when opened': writePdf({
      catalog: '/OpenAction<</S/GoTo/D[3 0 R /Fit]>>',
    }),
    'a link to a web address': writePdf({
      page: '/Annots[<</Type/Annot/Subtype/Link/Rect[0 0 9 9]/A<</S/URI/URI(https://www.example.com)>>>>]',
    }),
    'an empty list of automatic actions': writePdf({ page: '/AA<<>>' }),
    'keys of refused things whose value is null': writePdf({
      catalog: '/AcroForm<</Fields[]/XFA null>>/AF[]',
    }),
    'a form without scripts': await withForm(),
    'the word JavaScript in the text': writePdf({
      content: { data: 'BT /F1 12 Tf 72 700 Td (/JS /JavaScript (app.alert) /Launch) Tj ET' },
    }),
    'a comment that names JavaScript': writePdf({ page: '%/S/JavaScript\n' }),
    layers: writePdf({
      catalog: '/OCProperties<</OCGs[10 0 R]/D<</Order[10 0 R]/ON[10 0 R]>>>>',
      objects: { 10: '<</Type/OCG/Name(JavaScript)>>' },
    }),
    'XMP metadata': writePdf({
      catalog: '/Metadata 10 0 R',
      objects: {
        10: {
          dictionary: '/Type/Metadata/Subtype/XML',
          data: '<?xpacket begin=""?><x:xmpmeta xmlns:x="adobe:ns:meta/"/><?xpacket end="w"?>',
        },
      },
    }),
    'tags for the blind': writePdf({
      catalog: '/MarkInfo<</Marked true>>/Lang(en-GB)/StructTreeRoot 10 0 R',
      page: '/StructParents 0',
      objects: {
        10: '<</Type/StructTreeRoot/K 11 0 R/ParentTree<</Nums[0[11 0 R]]>>/RoleMap<</Heading/H1>>>>',
        11: '<</Type/StructElem/S/P/P 10 0 R/Pg 3 0 R/K 0>>',
      },
    }),
    'an update behind it': updatePdf(writePdf(), {
      objects: { 3: '<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R>>' },
    }),
    'what is linearised': linearised(),
    'object and cross-reference streams': packPdf(),
    'PDF 2.0': packPdf({ version: '2.0' }),
    'the length of a stream in another object': writePdf({
      content: { data: '0 0 m 9 9 l S', length: '10 0 R' },
      objects: { 10: '13' },
    }),
    'the word stream in a stream whose length is another object': writePdf({
      content: { data: 'BT /F1 12 Tf 72 700 Td (an upstream stream) Tj ET', length: '10 0 R' },
      objects: { 10: '49' },
    }),
    'a stream that says too small a length': writePdf({
      content: { data: '0 0 m 9 9 l S', length: '3' },
    }),
    'compressed content without its check sum': withContent(
      '/Filter/FlateDecode',
      deflateSync(Buffer.from('q Q')).subarray(0, -4),
    ),
    'compressed content that is only flushed, as Acrobat writes it': withContent(
      '/Filter/FlateDecode',
      flushed('q Q'),
    ),
    'an object stream that is only flushed': packPdf({}, (content, first, count) => ({
      dictionary: `/Type/ObjStm/N ${count}/First ${first}/Filter/FlateDecode`,
      data: flushed(content),
    })),
    'content in ASCII85 of flate': withContent(
      '/Filter[/ASCII85Decode/FlateDecode]',
      `${ascii85(deflateSync(Buffer.from('0 0 m 9 9 l S')))}~>`,
    ),
    'content in hexadecimal': withContent('/Filter/ASCIIHexDecode', '71 0a 51 >'),
    'content in run lengths': withContent(
      '/Filter/RunLengthDecode',
      Uint8Array.of(2, 0x71, 0x20, 0x51, 255, 0x0a, 128),
    ),
    'content in LZW': withContent(
      '/Filter/LZWDecode/DecodeParms<</EarlyChange 0>>',
      Uint8Array.of(0x80, 0x0b, 0x60, 0x50, 0x22, 0x0c, 0x0c, 0x85, 0x01),
    ),
    'empty content': withContent('/Filter/FlateDecode', ''),
    'zeros behind its end': Buffer.concat([writePdf(), Buffer.alloc(4096)]),
    'a cross-reference table that is three bytes off': Buffer.from(
      Buffer.from(writePdf()).toString('latin1').replace('%PDF-1.7\n', '%PDF-1.7\n%  '),
      'latin1',
    ),
    'a few stray bytes': Buffer.concat([writePdf(), Buffer.from('<!-- sent by a portal -->\n')]),
    'outlines and names that run in rings': writePdf({
      catalog: '/Outlines 10 0 R/Names<</Dests 12 0 R>>',
      objects: {
        10: '<</Type/Outlines/First 11 0 R/Last 11 0 R/Count 1>>',
        11: '<</Title(again)/Parent 10 0 R/Next 11 0 R/Prev 11 0 R/First 11 0 R/Last 11 0 R>>',
        12: '<</Kids[12 0 R]>>',
      },
    }),
    'a trailer that promises very many objects': writePdf({ trailer: '/Size 999999999999' }),
  }
}

async function written(options: { useObjectStreams?: boolean } = {}): Promise<Uint8Array> {
  const document = await PDFDocument.create({ updateMetadata: false })
  const font = await document.embedFont(StandardFonts.TimesRoman)
  for (const text of ['Page one', 'Page two']) {
    document.addPage([595.28, 841.89]).drawText(text, { font, x: 72, y: 700 })
  }
  return document.save(options)
}

async function withForm(): Promise<Uint8Array> {
  const document = await PDFDocument.create({ updateMetadata: false })
  const page = document.addPage([595.28, 841.89])
  const field = document.getForm().createTextField('given name')
  field.setText('Ann')
  field.addToPage(page, { x: 72, y: 600, width: 200, height: 20 })
  document.catalog.set(PDFName.of('NeedsRendering'), document.context.obj(false))
  return document.save()
}

/** The section for the first page comes first and names the other pages' section as the one before it. */
function linearised(): Uint8Array {
  const text = Buffer.from(writePdf()).toString('latin1')
  const first =
    'xref\n0 1\n0000000000 65535 f \ntrailer\n<</Size 6/Root 1 0 R/Prev 99999>>\nstartxref\n0\n%%EOF\n'
  const at = text.indexOf('1 0 obj')
  return Buffer.from(
    `${text.slice(0, at)}9 0 obj\n<</Linearized 1/L 1000/H[1 1]/O 3/E 1/N 1/T 1>>\nendobj\n${first}${text.slice(at)}`,
    'latin1',
  )
}

/** Without the mark of a final block, and without a checksum. */
function flushed(content: string): Uint8Array {
  return deflateSync(Buffer.from(content, 'latin1'), { finishFlush: constants.Z_SYNC_FLUSH })
}

function ascii85(bytes: Uint8Array): string {
  const padded = Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)])
  let text = ''
  for (let at = 0; at < padded.length; at += 4) {
    let value = padded.readUInt32BE(at)
    const group: string[] = []
    for (let each = 0; each < 5; each += 1) {
      group.unshift(String.fromCharCode(33 + (value % 85)))
      value = Math.floor(value / 85)
    }
    text += group.join('')
  }
  return text.slice(0, text.length - (padded.length - bytes.length))
}
