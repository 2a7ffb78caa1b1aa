import { deflateSync } from 'node:zlib'
import type { RuleId } from '@despatch/domain/preflight/rules'
import { PDFDocument } from 'pdf-lib'
import { packPdf, updatePdf, writePdf } from './write-pdf.ts'

export type UnsafePdfFixture = { rule: RuleId; page?: number; pdf: Uint8Array }

/** PDFs that each break one rule and no other. */
export async function unsafePdfs(): Promise<Record<string, UnsafePdfFixture>> {
  return {
    ...damagedPdfs(),
    encrypted: { rule: 'pdf-encrypted', pdf: await encryptedPdf({}) },
    'encrypted without object streams': {
      rule: 'pdf-encrypted',
      pdf: await encryptedPdf({ useObjectStreams: false }),
    },
    'without pages': {
      rule: 'pdf-no-pages',
      pdf: writePdf({ objects: { 2: '<</Type/Pages/Kids[]/Count 0>>' } }),
    },
    ...javaScriptPdfs(),
    ...actionPdfs(),
    ...embeddedFilePdfs(),
    'an XFA form': {
      rule: 'pdf-xfa',
      pdf: writePdf({
        catalog: '/AcroForm<</Fields[]/XFA[(template)10 0 R]>>',
        objects: { 10: { data: '<template/>' } },
      }),
    },
    ...richMediaPdfs(),
    ...complexPdfs(),
    ...drawingPdfs(),
  }
}

const script = '/S/JavaScript/JS(app.alert\\(1\\))'
const annotation = (subtype: string, more = '') =>
  `/Annots[<</Type/Annot/Subtype/${subtype}/Rect[0 0 9 9]${more}>>]`

function javaScriptPdfs(): Record<string, UnsafePdfFixture> {
  const rule = 'pdf-javascript'
  return {
    'JavaScript when opened': { rule, pdf: writePdf({ catalog: `/OpenAction<<${script}>>` }) },
    'JavaScript by name': {
      rule,
      pdf: writePdf({
        catalog: '/Names<</JavaScript<</Names[(a)10 0 R]>>>>',
        objects: { 10: '<<>>' },
      }),
    },
    'JavaScript in a link': {
      rule,
      page: 1,
      pdf: writePdf({ page: annotation('Link', `/A<<${script}>>`) }),
    },
    'JavaScript behind another action': {
      rule,
      page: 1,
      pdf: writePdf({
        page: '/Annots 10 0 R',
        objects: {
          10: '[11 0 R]',
          11: '<</Subtype/Link/Rect[0 0 9 9]/A<</S/GoTo/D[3 0 R/Fit]/Next[12 0 R]>>>>',
          12: '<</S 13 0 R>>',
          13: '/JavaScript',
        },
      }),
    },
    'JavaScript when a field changes': {
      rule,
      page: 1,
      pdf: writePdf({ page: annotation('Widget', `/AA<</K<<${script}>>>>`) }),
    },
    'JavaScript on the second page': {
      rule,
      page: 2,
      pdf: writePdf({
        objects: {
          2: '<</Type/Pages/Kids[3 0 R 10 0 R]/Count 2>>',
          10: `<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]${annotation('Link', `/A<<${script}>>`)}>>`,
        },
      }),
    },
    'JavaScript in other letters': {
      rule,
      pdf: writePdf({ catalog: '/OpenAction<</#53/Java#53cript/#4a#53(1)>>' }),
    },
    'JavaScript in a stream': {
      rule,
      pdf: writePdf({ objects: { 10: '<</JS 11 0 R>>', 11: { data: 'app.alert(1)' } } }),
    },
    'JavaScript in what describes a stream': {
      rule,
      pdf: writePdf({ objects: { 10: { dictionary: `/X[[<<${script}>>]]`, data: '' } } }),
    },
    'JavaScript in an object stream': { rule, pdf: packPdf({ objects: { 10: `<<${script}>>` } }) },
    'JavaScript in an object that is replaced': {
      rule,
      pdf: updatePdf(writePdf({ objects: { 10: `<<${script}>>` } }), { objects: { 10: '<<>>' } }),
    },
    'JavaScript in a packed object that is replaced': {
      rule,
      pdf: updatePdf(packPdf({ objects: { 10: `<<${script}>>` } }), { objects: { 10: '<<>>' } }),
    },
    'JavaScript in the trailer': {
      rule,
      pdf: Buffer.from(
        Buffer.from(writePdf())
          .toString('latin1')
          .replace('/Root 1 0 R', `/Root<</Type/Catalog/Pages 2 0 R/OpenAction<<${script}>>>>`),
        'latin1',
      ),
    },
  }
}

function actionPdfs(): Record<string, UnsafePdfFixture> {
  const rule = 'pdf-action'
  const names = [
    'Launch',
    'ImportData',
    'SubmitForm',
    'GoToE',
    'GoToR',
    'Movie',
    'Sound',
    'Rendition',
    'GoTo3DView',
    'RichMediaExecute',
  ]
  return {
    ...Object.fromEntries(
      names.flatMap((name) => [
        [
          `a ${name} action`,
          { rule, page: 1, pdf: writePdf({ page: annotation('Link', `/A<</S/${name}>>`) }) },
        ],
        [
          `a ${name} action when opened`,
          { rule, pdf: writePdf({ catalog: `/OpenAction<</S/${name}>>` }) },
        ],
      ]),
    ),
    'a thread of another file': {
      rule,
      page: 1,
      pdf: writePdf({ page: annotation('Link', '/A<</S/Thread/F(other.pdf)/D 0>>') }),
    },
    'an action when a page opens': {
      rule,
      page: 1,
      pdf: writePdf({ page: '/AA<</O<</S/GoTo/D[3 0 R/Fit]>>>>' }),
    },
    'an action before printing': {
      rule,
      pdf: writePdf({
        catalog: '/AA 10 0 R',
        objects: { 10: '<</WP 11 0 R>>', 11: '<</S/Named/N/Print>>' },
      }),
    },
  }
}

function embeddedFilePdfs(): Record<string, UnsafePdfFixture> {
  const rule = 'pdf-embedded-file'
  const file = { dictionary: '/Type/EmbeddedFile', data: 'a,b' }
  return {
    'a file by name': {
      rule,
      pdf: writePdf({
        catalog: '/Names<</EmbeddedFiles<</Names[(a)10 0 R]>>>>',
        objects: { 10: '<</Type/Filespec/F(a.csv)/EF<</F 11 0 R>>>>', 11: file },
      }),
    },
    'a file that nothing names': { rule, pdf: writePdf({ objects: { 11: file } }) },
    'a file of the whole': {
      rule,
      pdf: writePdf({ catalog: '/AF[10 0 R]', objects: { 10: '<</Type/Filespec/F(a.csv)>>' } }),
    },
    'a file pinned to a page': {
      rule,
      page: 1,
      pdf: writePdf({ page: annotation('FileAttachment') }),
    },
    'content that is in another file': {
      rule,
      page: 1,
      pdf: writePdf({ content: { dictionary: '/F(other.txt)', data: '' } }),
    },
  }
}

function richMediaPdfs(): Record<string, UnsafePdfFixture> {
  const rule = 'pdf-rich-media'
  return {
    'rich media': {
      rule,
      page: 1,
      pdf: writePdf({ page: annotation('RichMedia', '/RichMediaContent<<>>') }),
    },
    'a movie': { rule, page: 1, pdf: writePdf({ page: annotation('Movie') }) },
    'a sound': { rule, page: 1, pdf: writePdf({ page: annotation('Sound') }) },
    'a model in three dimensions': {
      rule,
      page: 1,
      pdf: writePdf({
        page: annotation('3D', '/3DD 10 0 R'),
        objects: { 10: { dictionary: '/Type/3D/Subtype/U3D', data: '' } },
      }),
    },
  }
}

function damagedPdfs(): Record<string, UnsafePdfFixture> {
  const rule = 'pdf-damaged'
  const whole = writePdf()
  const text = Buffer.from(whole).toString('latin1')
  const damaged = (pdf: Uint8Array | string): UnsafePdfFixture => ({
    rule,
    pdf: Buffer.from(pdf as string, 'latin1'),
  })
  const flate = '/Filter/FlateDecode'
  const deflated = deflateSync(Buffer.from('0 0 m 9 9 l S '.repeat(50)))
  const wrong = Buffer.from(deflated)
  wrong[wrong.length - 1]! ^= 1
  return {
    nothing: damaged(''),
    'nothing but its marks': damaged('%PDF-1.7\n%%EOF'),
    'cut short': damaged(whole.subarray(0, 300)),
    'without its end mark': damaged(whole.subarray(0, -6)),
    'something in front of it': damaged(`\n${text}`),
    'a malformed object': damaged(text.replace('<</Type/Font', '<</Type/Font ><')),
    'much between its objects': damaged(text.replace('5 0 obj', `${'~ '.repeat(600)}\n5 0 obj`)),
    'an object number that is too large': damaged(text.replace('5 0 obj', '99999999 0 obj')),
    'an object of number 0': damaged(text.replace('5 0 obj', '0 0 obj')),
    'a number that is too large': {
      rule,
      pdf: writePdf({ page: '/UserUnit 99999999999999999999' }),
    },
    'a ring of cross-reference sections': damaged(
      text.replace('/Root 1 0 R', `/Root 1 0 R/Prev ${text.indexOf('xref\n')}`),
    ),
    'an object within another, by the cross-reference table': damaged(
      withHidden('10 0 obj <<>> endobj'),
    ),
    'an object within another, by the cross-reference stream': {
      rule,
      pdf: packPdf({ content: { data: 'q Q 7000 0 obj <<>> endobj' } }, undefined, '7000 0 obj'),
    },
    'a cross-reference table within another object': damaged(
      writePdfText({ content: { data: ' xref 0 0 trailer <<>>' } }).replace(
        /startxref\n\d+/,
        (_, __, all: string) => `startxref\n${all.indexOf(' xref')}`,
      ),
    ),
    'a page tree in a ring': {
      rule,
      pdf: writePdf({ objects: { 2: '<</Type/Pages/Kids[2 0 R 3 0 R]/Count 1>>' } }),
    },
    'parents in a ring': { rule, pdf: writePdf({ pages: '/Parent 2 0 R' }) },
    'a page that is not a page': {
      rule,
      pdf: writePdf({ objects: { 2: '<</Type/Pages/Kids[3 0 R 5 0 R]/Count 2>>' } }),
    },
    'a page that is missing': {
      rule,
      pdf: writePdf({ objects: { 2: '<</Type/Pages/Kids[3 0 R 99 0 R]/Count 2>>' } }),
    },
    'a catalogue without pages': { rule, pdf: writePdf({ objects: { 1: '<</Type/Catalog>>' } }) },
    'a stream of a length below zero': {
      rule,
      pdf: writePdf({ content: { data: 'q Q', length: '-50' } }),
    },
    'a stream that does not end': damaged(text.replace('endstream', 'endstrean')),
    'content with a wrong check sum': {
      rule,
      pdf: writePdf({ content: { dictionary: flate, data: wrong } }),
    },
    'content cut short': {
      rule,
      pdf: writePdf({ content: { dictionary: flate, data: deflated.subarray(0, 20) } }),
    },
    'content in an unknown form': {
      rule,
      pdf: writePdf({ content: { dictionary: '/Filter/Zip', data: 'x' } }),
    },
    'content that is not hexadecimal': {
      rule,
      pdf: writePdf({ content: { dictionary: '/Filter/ASCIIHexDecode', data: 'x>' } }),
    },
    'content that is not LZW': {
      rule,
      pdf: writePdf({
        content: { dictionary: '/Filter/LZWDecode', data: Uint8Array.of(0xff, 0xff, 0xff) },
      }),
    },
    'a picture within compressed data': {
      rule,
      pdf: writePdf({ content: { dictionary: '/Filter[/DCTDecode/FlateDecode]', data: 'x' } }),
    },
    'an object stream with a stream in it': {
      rule,
      pdf: packPdf({ objects: { 10: '<</Length 1>>stream\nx\nendstream' } }),
    },
    'an object stream of an unusual form': {
      rule,
      pdf: packPdf({}, (content, first, count) => ({
        dictionary: `/Type/ObjStm/N ${count}/First ${first}/Filter/ASCIIHexDecode`,
        data: Buffer.from(content, 'latin1').toString('hex'),
      })),
    },
    'an object stream of which another object tells the type': {
      rule,
      pdf: writePdf({
        objects: { 10: '/ObjStm', 11: { dictionary: '/Type 10 0 R/N 0/First 0', data: '' } },
      }),
    },
  }
}

function writePdfText(source: Parameters<typeof writePdf>[0]): string {
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
  return {
    'arrays within arrays': { rule, pdf: writePdf({ objects: { 10: deep(65) } }) },
    'packed arrays within arrays': { rule, pdf: packPdf({ objects: { 10: deep(65) } }) },
    'a picture of too many pixels': {
      rule,
      pdf: writePdf({
        objects: { 10: { dictionary: '/Subtype/Image/Width 10001/Height 10000', data: '' } },
      }),
    },
    'content that is compressed five times over': {
      rule,
      pdf: writePdf({ content: { dictionary: `/Filter[${'/FlateDecode'.repeat(5)}]`, data: 'x' } }),
    },
    'a page tree of too many levels': {
      rule,
      pdf: writePdf({
        objects: {
          2: '<</Type/Pages/Kids[10 0 R]/Count 1>>',
          ...Object.fromEntries(
            Array.from({ length: 70 }, (_, level) => [
              10 + level,
              `<</Type/Pages/Kids[${level === 69 ? 3 : 11 + level} 0 R]/Count 1>>`,
            ]),
          ),
        },
      }),
    },
  }
}

/** Pages that draw more than allowed. Larger ones are in hostile-drawings.ts. */
function drawingPdfs(): Record<string, UnsafePdfFixture> {
  const rule = 'pdf-drawing' as const
  const withForm = (content: string, form: string) => ({
    rule,
    page: 1,
    pdf: writePdf({
      page: '/Resources<</XObject<</Form 10 0 R>>>>',
      content: { data: content },
      objects: {
        10: { dictionary: `/Type/XObject/Subtype/Form/BBox[0 0 9 9]${form}`, data: '0 0 9 9 re f' },
      },
    }),
  })
  return {
    'more transparency groups than allowed': withForm(
      '/Form Do '.repeat(501),
      '/Group<</S/Transparency>>',
    ),
    'a form that draws very often': withForm('/Form Do '.repeat(200_000), ''),
    'more clips than allowed': {
      rule,
      page: 1,
      pdf: writePdf({ content: { data: '0 0 m 9 9 l W n '.repeat(5_001) } }),
    },
  }
}

async function encryptedPdf(options: { useObjectStreams?: boolean }): Promise<Uint8Array> {
  const document = await PDFDocument.load(writePdf())
  document.encrypt({ userPassword: '', ownerPassword: 'x' })
  return document.save(options)
}
