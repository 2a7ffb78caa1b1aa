import { deflateSync } from 'node:zlib'
import type { Finding } from '@despatch/domain/preflight/finding'
import type { RuleSetId } from '@despatch/domain/preflight/rule-set'
import { degrees, PDFDocument, PDFName, PDFNumber, type PDFPage } from 'pdf-lib'
import { embedFont } from '../src/embed-font.ts'
import { subsetFor } from '../src/font-subset.ts'
import type { PagesPart } from '../src/preflight/zones.ts'

/** A PDF that demonstrates one rule, and its findings. */
export type PreflightFixture = {
  name: string
  part: PagesPart
  ruleSet: RuleSetId
  pdf: () => Promise<Uint8Array>
  found: readonly Pick<Finding, 'rule' | 'page' | 'rectangle' | 'measured'>[]
}

const points = (millimetres: number) => (millimetres * 72) / 25.4
const number = (value: number) => String(Math.round(value * 1000) / 1000)

/** Drawing operations, in millimetres from the top left. `y` of text is its baseline. */
export const draw = {
  /** A filled rectangle. `grey` is 0 for black, 1 for white. */
  box:
    (x: number, y: number, width: number, height: number, grey = 0) =>
    (paper: Paper) =>
      `${grey} g ${place(paper, x, y + height)} ${number(points(width))} ${number(points(height))} re f`,
  /** A horizontal line of `thickness` centred on `y`. */
  line: (x: number, y: number, width: number, thickness: number) => (paper: Paper) =>
    `${number(points(thickness))} w ${place(paper, x, y)} m ${place(paper, x + width, y)} l S`,
  text:
    (
      x: number,
      y: number,
      text: string,
      { size = 10, grey = 0, mode = 0, font = 'Embedded' } = {},
    ) =>
    (paper: Paper) => {
      const shown = font === 'Embedded' ? `<${codesOf(text)}>` : `(${text})`
      return `BT ${grey} g ${mode} Tr /${font} ${size} Tf 1 0 0 1 ${place(paper, x, y)} Tm ${shown} Tj ET`
    },
  /** The black picture, stretched to this size. */
  picture: (x: number, y: number, width: number, height: number) => (paper: Paper) =>
    `q ${number(points(width))} 0 0 ${number(points(height))} ${place(paper, x, y + height)} cm /Picture Do Q`,
} as const

type Paper = { height: number }
type Drawing = (paper: Paper) => string

const place = ({ height }: Paper, x: number, y: number) =>
  `${number(points(x))} ${number(points(height - y))}`

const codesOf = (text: string) =>
  [...text]
    .map((character) => subsetFor([]).glyphs.get(character)!.id.toString(16).padStart(4, '0'))
    .join('')

export type PageSpec = {
  size?: readonly [width: number, height: number]
  draws: readonly Drawing[]
  change?: (page: PDFPage) => void
}

/** Returns a PDF with its font embedded, in A4 portrait unless a page says otherwise. */
export async function aPdfThatDraws(...pages: readonly PageSpec[]): Promise<Uint8Array> {
  const document = await PDFDocument.create({ updateMetadata: false })
  const { context } = document
  const font = embedFont(context, subsetFor([]))
  const notEmbedded = context.register(
    context.obj({ Type: 'Font', Subtype: 'Type1', BaseFont: 'Helvetica' }),
  )
  const picture = context.register(
    context.stream(deflateSync(Buffer.alloc(16), { level: 9 }), {
      Type: 'XObject',
      Subtype: 'Image',
      Width: 4,
      Height: 4,
      ColorSpace: 'DeviceGray',
      BitsPerComponent: 8,
      Filter: 'FlateDecode',
    }),
  )
  for (const { size: [width, height] = [210, 297], draws, change } of pages) {
    const page = document.addPage([points(width), points(height)])
    page.node.set(
      PDFName.of('Resources'),
      context.obj({
        Font: { Embedded: font, Standard: notEmbedded },
        XObject: { Picture: picture },
      }),
    )
    const content = draws.map((each) => each({ height })).join('\n')
    page.node.set(PDFName.of('Contents'), context.register(context.stream(content)))
    change?.(page)
  }
  return document.save({ useObjectStreams: false, addDefaultPage: false })
}

/** A letter as word processors produce it: lines of text 20 mm from each edge. */
const textLines: readonly Drawing[] = Array.from({ length: 30 }, (_, index) =>
  draw.text(20, 100 + index * 5, 'You must tell us when you change your address or your name.'),
)
const addressLines = ['Mr A Example', '1 Example Street', 'Exampletown', 'EX1 1EX'].map(
  (line, index) => draw.text(26, 44 + index * 4, line),
)
const standard = 'standard-2026-11'
const windowLetter = 'window-letter-2026-11'

/** Its print reaches beyond A4 only where the crop box cuts it off, as printer's marks do. */
const croppedToA4: PageSpec = {
  size: [230, 317],
  draws: [draw.box(30, 110, 60, 60), draw.line(0, 4, 230, 1)],
  change: (page) => page.setCropBox(points(10), points(10), points(210), points(297)),
}

type Found = PreflightFixture['found'][number]

/** Returns how fixtures for this part of a letter are made: from their name, their pages, and what is found. */
const of =
  (part: PagesPart, ruleSet: RuleSetId = standard) =>
  (name: string, pages: readonly PageSpec[], ...found: Found[]): PreflightFixture => ({
    name,
    part,
    ruleSet,
    pdf: () => aPdfThatDraws(...pages),
    found,
  })
const onFilePage = of('file-page')
const onFirstPage = of('first-page-with-our-address')
const supplied = of('supplied')
const suppliedInWindow = of('supplied', windowLetter)

const sized = (width: number, height: number, page = 1): Found => ({
  rule: 'page-size',
  page,
  measured: { unit: 'mm', value: [width, height] },
})
type Place = readonly [x: number, y: number, width: number, height: number]
const at = ([x, y, width, height]: Place) => ({ rectangle: { x, y, width, height } })
const inked = (rule: Found['rule'], place: Place, value: number, page = 1): Found => ({
  rule,
  page,
  ...at(place),
  measured: { unit: 'mm', value },
})
const hidden = (...place: Place): Found => ({
  rule: 'window-hidden-content',
  page: 1,
  ...at(place),
  measured: { unit: 'characters', value: 6 },
})
const turned = (angle: number) => (page: PDFPage) => page.setRotation(degrees(angle))
const inUnitsOfTwo = ({ node }: PDFPage) => node.set(PDFName.of('UserUnit'), PDFNumber.of(2))
const showPart = (page: PDFPage) => page.setCropBox(0, points(197), points(210), points(100))

/** At least one for each rule about pages. Each breaks that rule and no other. */
export const refusedFixtures: readonly PreflightFixture[] = [
  onFilePage(
    'a landscape page',
    [{ draws: textLines }, { size: [297, 210], draws: [] }],
    sized(297, 210, 2),
  ),
  onFilePage(
    'a page that is turned to landscape',
    [{ draws: textLines, change: turned(90) }],
    sized(297, 210),
  ),
  supplied('a page of US Letter', [{ size: [215.9, 279.4], draws: [] }], sized(215.9, 279.4)),
  onFilePage(
    'a page of which a crop box shows a part',
    [{ draws: textLines, change: showPart }],
    sized(210, 100),
  ),
  supplied(
    'a supplied page whose crop box shows A4 of larger paper',
    [croppedToA4],
    sized(230, 317),
  ),
  onFilePage(
    'a page that is A4 only without its user unit',
    [{ draws: textLines, change: inUnitsOfTwo }],
    sized(420, 594),
  ),
  onFilePage(
    'a bar that reaches the edge',
    [{ draws: textLines }, { draws: [draw.box(0, 120, 60, 10)] }],
    inked('print-area', [0, 119.9, 4.6, 10.2], 4.9, 2),
  ),
  suppliedInWindow(
    'text that begins left of the body of a window letter',
    [{ draws: [...addressLines, draw.box(12, 110, 40, 4)] }],
    inked('print-area', [11.9, 110, 2, 4.1], 2.9),
  ),
  onFirstPage(
    'an address where we print ours',
    [{ draws: [...textLines, draw.box(30, 45, 40, 10)] }],
    inked('address-window', [30, 45, 40.1, 10.2], 13.3),
  ),
  suppliedInWindow(
    'white text in the window',
    [{ draws: [draw.text(30, 55, 'EX9 9EX', { grey: 1 })] }],
    hidden(30.3, 52.4, 12.7, 2.6),
  ),
  suppliedInWindow(
    'white text in the window of a page that is turned',
    [
      {
        size: [297, 210],
        draws: [draw.text(45, 180, 'EX9 9EX', { grey: 1 })],
        change: turned(90),
      },
    ],
    hidden(30, 45.3, 2.6, 12.7),
  ),
  onFirstPage(
    'text under a white box in the window',
    [{ draws: [draw.text(30, 55, 'EX9 9EX'), draw.box(24, 39, 97, 28, 1)] }],
    hidden(30.3, 52.4, 12.7, 2.6),
  ),
  supplied(
    'text that is not painted in the window',
    [{ draws: [draw.text(30, 55, 'EX9 9EX', { mode: 3 })] }],
    hidden(30.3, 52.4, 12.7, 2.6),
  ),
  supplied(
    'a picture under a white box in the window',
    [{ draws: [draw.picture(40, 45, 20, 10), draw.box(24, 39, 97, 28, 1)] }],
    { rule: 'window-hidden-content', page: 1, ...at([39.9, 45, 20.3, 10.2]) },
  ),
  onFilePage(
    'a stamp where the insertion mark is printed',
    [{ draws: [...textLines, draw.box(8, 280, 20, 5)] }],
    inked('reserved-strip', [7.9, 280, 6.6, 5.1], 5),
  ),
  suppliedInWindow(
    'a line below the window',
    [{ draws: [...addressLines, draw.box(30, 75, 60, 2)] }],
    inked('reserved-strip', [30, 74.9, 60.2, 2], 10.6),
  ),
  onFilePage(
    'a font that is not embedded',
    [{ draws: [draw.text(20, 30, 'Helvetica', { font: 'Standard' })] }],
    { rule: 'font-not-embedded', page: 1 },
  ),
]

/** Letters as people write them and printers print them. */
export const acceptedFixtures: readonly PreflightFixture[] = [
  onFilePage('a page of a word processor', [{ draws: textLines }]),
  of('file-page', windowLetter)('text 15 mm from the edges', [
    { draws: [draw.text(15, 18, 'Margins of 15 mm')] },
  ]),
  onFirstPage('a white rectangle behind the whole page', [
    { draws: [draw.box(0, 0, 210, 297, 1), ...textLines] },
  ]),
  onFilePage('a landscape page that is turned to portrait', [
    { size: [297, 210], draws: [draw.box(20, 20, 257, 170)], change: turned(270) },
  ]),
  onFilePage('thin lines at the limit', [
    { draws: [draw.line(5, 5, 200, 0.1), draw.line(20, 292, 185, 0.1)] },
  ]),
  suppliedInWindow('a supplied letter with its address in the window', [
    { draws: [...addressLines, draw.box(15, 5, 40, 20), ...textLines] },
    { draws: textLines },
  ]),
  supplied('a picture that is seen in the window', [{ draws: [draw.picture(40, 45, 20, 10)] }]),
  onFilePage('a page whose crop box shows A4 of larger paper', [croppedToA4]),
  onFilePage('a page of A4 in a unit of its own', [
    { size: [105, 148.5], draws: [draw.box(20, 20, 60, 60)], change: inUnitsOfTwo },
  ]),
  onFilePage('a page that is 1.9 mm too large', [{ size: [211.9, 298.9], draws: textLines }]),
]
