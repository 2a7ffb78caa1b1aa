import { deflateSync } from 'node:zlib'
import type { RuleId } from '@despatch/domain/preflight/rules'
import { PDFDocument } from 'pdf-lib'
import { type PdfSource, packPdf, updatePdf, withContent, writePdf } from './write-pdf.ts'

export type UnsafePdfFixture = { rule: RuleId; page?: number; pdf: Uint8Array }

/** A letter of one page, or another file. `on` is the page of the finding, if it names one. */
type Source = string | Uint8Array | (PdfSource & { on?: number })

/** PDFs that each break one rule and no other. */
export async function unsafePdfs(): Promise<Record<string, UnsafePdfFixture>> {
  return {
    ...damagedPdfs(),
    ...breaking('pdf-encrypted', {
      encrypted: await encryptedPdf({}),
      'encrypted without object streams': await encryptedPdf({ useObjectStreams: false }),
    }),
    ...breaking('pdf-no-pages', {
      'without pages': { objects: { 2: '<</Type/Pages/Kids[]/Count 0>>' } },
    }),
    ...javaScriptPdfs(),
    ...actionPdfs(),
    ...embeddedFilePdfs(),
    ...breaking('pdf-xfa', {
      'an XFA form': {
        catalog: '/AcroForm<</Fields[]/XFA[(template)10 0 R]>>',
        objects: { 10: { data: '<template/>' } },
      },
    }),
    ...richMediaPdfs(),
    ...complexPdfs(),
    ...drawingPdfs(),
  }
}

function breaking(
  rule: RuleId,
  sources: Readonly<Record<string, Source>>,
): Record<string, UnsafePdfFixture> {
  return Object.fromEntries(
    Object.entries(sources).map(([name, source]): [string, UnsafePdfFixture] => {
      if (typeof source === 'string') return [name, { rule, pdf: Buffer.from(source, 'latin1') }]
      if (source instanceof Uint8Array) return [name, { rule, pdf: source }]
      const { on, ...of } = source
      return [name, { rule, ...(on && { page: on }), pdf: writePdf(of) }]
    }),
  )
}

const script = '/S/JavaScript/JS(app.alert\\(1\\))'
const annotation = (subtype: string, more = '') =>
  `/Annots[<</Type/Annot/Subtype/${subtype}/Rect[0 0 9 9]${more}>>]`

function javaScriptPdfs(): Record<string, UnsafePdfFixture> {
  const rule = 'pdf-javascript'
  return breaking(rule, {
    'JavaScript when opened': { catalog: `/OpenAction<<${script}>>` },
    'JavaScript by name': {
      catalog: '/Names<</JavaScript<</Names[(a)10 0 R]>>>>',
      objects: { 10: '<<>>' },
    },
    'JavaScript in a link': { on: 1, page: annotation('Link', `/A<<${script}>>`) },
    'JavaScript behind another action': {
      on: 1,
      page: '/Annots 10 0 R',
      objects: {
        10: '[11 0 R]',
        11: '<</Subtype/Link/Rect[0 0 9 9]/A<</S/GoTo/D[3 0 R/Fit]/Next[12 0 R]>>>>',
        12: '<</S 13 0 R>>',
        13: '/JavaScript',
      },
    },
    'JavaScript when a field changes': {
      on: 1,
      page: annotation('Widget', `/AA<</K<<${script}>>>>`),
    },
    'JavaScript on the second page': {
      on: 2,
      objects: {
        2: '<</Type/Pages/Kids[3 0 R 10 0 R]/Count 2>>',
        10: `<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]${annotation('Link', `/A<<${script}>>`)}>>`,
      },
    },
    'JavaScript in other letters': { catalog: '/OpenAction<</#53/Java#53cript/#4a#53(1)>>' },
    'JavaScript in a stream': { objects: { 10: '<</JS 11 0 R>>', 11: { data: 'app.alert(1)' } } },
    'JavaScript in what describes a stream': {
      objects: { 10: { dictionary: `/X[[<<${script}>>]]`, data: '' } },
    },
    'JavaScript in an object stream': packPdf({ objects: { 10: `<<${script}>>` } }),
    'JavaScript in an object that is replaced': updatePdf(
      writePdf({ objects: { 10: `<<${script}>>` } }),
      { objects: { 10: '<<>>' } },
    ),
    'JavaScript in a packed object that is replaced': updatePdf(
      packPdf({ objects: { 10: `<<${script}>>` } }),
      { objects: { 10: '<<>>' } },
    ),
    'JavaScript in the trailer': writePdfText({}).replace(
      '/Root 1 0 R',
      `/Root<</Type/Catalog/Pages 2 0 R/OpenAction<<${script}>>>>`,
    ),
  })
}

function actionPdfs(): Record<string, UnsafePdfFixture> {
  const rule = 'pdf-action'
  const names =
    'Launch ImportData SubmitForm GoToE GoToR Movie Sound Rendition GoTo3DView RichMediaExecute'.split(
      ' ',
    )
  return breaking(rule, {
    ...Object.fromEntries(
      names.flatMap((name): [string, Source][] => [
        [`a ${name} action`, { on: 1, page: annotation('Link', `/A<</S/${name}>>`) }],
        [`a ${name} action when opened`, { catalog: `/OpenAction<</S/${name}>>` }],
      ]),
    ),
    'a thread of another file': {
      on: 1,
      page: annotation('Link', '/A<</S/Thread/F(other.pdf)/D 0>>'),
    },
    'an action when a page opens': { on: 1, page: '/AA<</O<</S/GoTo/D[3 0 R/Fit]>>>>' },
    'an action before printing': {
      catalog: '/AA 10 0 R',
      objects: { 10: '<</WP 11 0 R>>', 11: '<</S/Named/N/Print>>' },
    },
  })
}

function embeddedFilePdfs(): Record<string, UnsafePdfFixture> {
  const rule = 'pdf-embedded-file'
  const file = { dictionary: '/Type/EmbeddedFile', data: 'a,b' }
  return breaking(rule, {
    'a file by name': {
      catalog: '/Names<</EmbeddedFiles<</Names[(a)10 0 R]>>>>',
      objects: { 10: '<</Type/Filespec/F(a.csv)/EF<</F 11 0 R>>>>', 11: file },
    },
    'a file that nothing names': { objects: { 11: file } },
    'a file of the whole': {
      catalog: '/AF[10 0 R]',
      objects: { 10: '<</Type/Filespec/F(a.csv)>>' },
    },
    'a file pinned to a page': { on: 1, page: annotation('FileAttachment') },
    'content that is in another file': {
      on: 1,
      content: { dictionary: '/F(other.txt)', data: '' },
    },
  })
}

function richMediaPdfs(): Record<string, UnsafePdfFixture> {
  const rule = 'pdf-rich-media'
  return breaking(rule, {
    'rich media': { on: 1, page: annotation('RichMedia', '/RichMediaContent<<>>') },
    'a movie': { on: 1, page: annotation('Movie') },
    'a sound': { on: 1, page: annotation('Sound') },
    'a model in three dimensions': {
      on: 1,
      page: annotation('3D', '/3DD 10 0 R'),
      objects: { 10: { dictionary: '/Type/3D/Subtype/U3D', data: '' } },
    },
  })
}

function damagedPdfs(): Record<string, UnsafePdfFixture> {
  const rule = 'pdf-damaged'
  const text = writePdfText({})
  const flate = '/Filter/FlateDecode'
  const deflated = deflateSync(Buffer.from('0 0 m 9 9 l S '.repeat(50)))
  const wrong = Buffer.from(deflated)
  wrong[wrong.length - 1]! ^= 1
  return breaking(rule, {
    nothing: '',
    'nothing but its marks': '%PDF-1.7\n%%EOF',
    'cut short': text.slice(0, 300),
    'without its end mark': text.slice(0, -6),
    'something in front of it': `\n${text}`,
    'a malformed object': text.replace('<</Type/Font', '<</Type/Font ><'),
    'much between its objects': text.replace('5 0 obj', `${'~ '.repeat(600)}\n5 0 obj`),
    'an object number that is too large': text.replace('5 0 obj', '99999999 0 obj'),
    'an object of number 0': text.replace('5 0 obj', '0 0 obj'),
    'a number that is too large': { page: '/UserUnit 99999999999999999999' },
    'a ring of cross-reference sections': text.replace(
      '/Root 1 0 R',
      `/Root 1 0 R/Prev ${text.indexOf('xref\n')}`,
    ),
    'an object within another, by the cross-reference table': withHidden('10 0 obj <<>> endobj'),
    'an object within another, by the cross-reference stream': packPdf(
      { content: { data: 'q Q 7000 0 obj <<>> endobj' } },
      undefined,
      '7000 0 obj',
    ),
    'a cross-reference table within another object': writePdfText({
      content: { data: ' xref 0 0 trailer <<>>' },
    }).replace(/startxref\n\d+/, (_, __, all: string) => `startxref\n${all.indexOf(' xref')}`),
    'a page tree in a ring': { objects: { 2: '<</Type/Pages/Kids[2 0 R 3 0 R]/Count 1>>' } },
    'parents in a ring': { pages: '/Parent 2 0 R' },
    'a page that is not a page': { objects: { 2: '<</Type/Pages/Kids[3 0 R 5 0 R]/Count 2>>' } },
    'a page that is missing': { objects: { 2: '<</Type/Pages/Kids[3 0 R 99 0 R]/Count 2>>' } },
    'a catalogue without pages': { objects: { 1: '<</Type/Catalog>>' } },
    'a stream of a length below zero': { content: { data: 'q Q', length: '-50' } },
    'a stream that does not end': text.replace('endstream', 'endstrean'),
    'content with a wrong check sum': withContent(flate, wrong),
    'content cut short': withContent(flate, deflated.subarray(0, 20)),
    'content in an unknown form': withContent('/Filter/Zip', 'x'),
    'content that is not hexadecimal': withContent('/Filter/ASCIIHexDecode', 'x>'),
    'content that is not LZW': withContent('/Filter/LZWDecode', Uint8Array.of(0xff, 0xff, 0xff)),
    'a picture within compressed data': withContent('/Filter[/DCTDecode/FlateDecode]', 'x'),
    'an object stream with a stream in it': packPdf({
      objects: { 10: '<</Length 1>>stream\nx\nendstream' },
    }),
    'an object stream of an unusual form': packPdf({}, (content, first, count) => ({
      dictionary: `/Type/ObjStm/N ${count}/First ${first}/Filter/ASCIIHexDecode`,
      data: Buffer.from(content, 'latin1').toString('hex'),
    })),
    'an object stream of which another object tells the type': {
      objects: { 10: '/ObjStm', 11: { dictionary: '/Type 10 0 R/N 0/First 0', data: '' } },
    },
  })
}

function writePdfText(source: PdfSource): string {
  return Buffer.from(writePdf(source)).toString('latin1')
}

/** An object in the text of a stream, which the cross-reference table lists as an object. */
function withHidden(object: string): string {
  const text = writePdfText({ content: { data: `q Q ${object}` }, objects: { 10: '<<>>' } })
  const place = String(text.indexOf(object)).padStart(10, '0')
  return text.replace(/(?<=\n10 1\n)\d{10}/, place)
}

/** Above a limit that is easy to reach. Large files are in pdf-bombs.ts. */
function complexPdfs(): Record<string, UnsafePdfFixture> {
  const rule = 'pdf-too-complex'
  const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`
  return breaking(rule, {
    'arrays within arrays': { objects: { 10: deep(65) } },
    'packed arrays within arrays': packPdf({ objects: { 10: deep(65) } }),
    'a picture of too many pixels': {
      objects: { 10: { dictionary: '/Subtype/Image/Width 10001/Height 10000', data: '' } },
    },
    'content that is compressed five times over': withContent(
      `/Filter[${'/FlateDecode'.repeat(5)}]`,
      'x',
    ),
    'a page tree of too many levels': {
      objects: {
        2: '<</Type/Pages/Kids[10 0 R]/Count 1>>',
        ...Object.fromEntries(
          Array.from({ length: 70 }, (_, level) => [
            10 + level,
            `<</Type/Pages/Kids[${level === 69 ? 3 : 11 + level} 0 R]/Count 1>>`,
          ]),
        ),
      },
    },
  })
}

/** Pages that draw more than allowed. Larger ones are in hostile-drawings.ts. */
function drawingPdfs(): Record<string, UnsafePdfFixture> {
  const rule = 'pdf-drawing' as const
  const withForm = (data: string, form: string) => ({
    on: 1,
    page: '/Resources<</XObject<</Form 10 0 R>>>>',
    content: { data },
    objects: {
      10: { dictionary: `/Type/XObject/Subtype/Form/BBox[0 0 9 9]${form}`, data: '0 0 9 9 re f' },
    },
  })
  return breaking(rule, {
    'more transparency groups than allowed': withForm(
      '/Form Do '.repeat(501),
      '/Group<</S/Transparency>>',
    ),
    'a form that draws very often': withForm('/Form Do '.repeat(200_000), ''),
    'more clips than allowed': { on: 1, content: { data: '0 0 m 9 9 l W n '.repeat(5_001) } },
  })
}

async function encryptedPdf(options: { useObjectStreams?: boolean }): Promise<Uint8Array> {
  const document = await PDFDocument.load(writePdf())
  document.encrypt({ userPassword: '', ownerPassword: 'x' })
  return document.save(options)
}
