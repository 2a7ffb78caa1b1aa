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

/** At least one for each rule about pages. Each breaks that rule and no other. */
export const refusedFixtures: readonly PreflightFixture[] = [
  {
    name: 'a landscape page',
    part: 'file-page',
    ruleSet: standard,
    pdf: () => aPdfThatDraws({ draws: textLines }, { size: [297, 210], draws: [] }),
    found: [{ rule: 'page-size', page: 2, measured: { unit: 'mm', value: [297, 210] } }],
  },
  {
    name: 'a page that is turned to landscape',
    part: 'file-page',
    ruleSet: standard,
    pdf: () => aPdfThatDraws({ draws: textLines, change: (page) => page.setRotation(degrees(90)) }),
    found: [{ rule: 'page-size', page: 1, measured: { unit: 'mm', value: [297, 210] } }],
  },
  {
    name: 'a page of US Letter',
    part: 'supplied',
    ruleSet: standard,
    pdf: () => aPdfThatDraws({ size: [215.9, 279.4], draws: [] }),
    found: [{ rule: 'page-size', page: 1, measured: { unit: 'mm', value: [215.9, 279.4] } }],
  },
  {
    name: 'a page of which a crop box shows a part',
    part: 'file-page',
    ruleSet: standard,
    pdf: () =>
      aPdfThatDraws({
        draws: textLines,
        change: (page) => page.setCropBox(0, points(197), points(210), points(100)),
      }),
    found: [{ rule: 'page-size', page: 1, measured: { unit: 'mm', value: [210, 100] } }],
  },
  {
    name: 'a supplied page whose crop box shows A4 of larger paper',
    part: 'supplied',
    ruleSet: standard,
    pdf: () => aPdfThatDraws(croppedToA4),
    found: [{ rule: 'page-size', page: 1, measured: { unit: 'mm', value: [230, 317] } }],
  },
  {
    name: 'a page that is A4 only without its user unit',
    part: 'file-page',
    ruleSet: standard,
    pdf: () =>
      aPdfThatDraws({
        draws: textLines,
        change: ({ node }) => node.set(PDFName.of('UserUnit'), PDFNumber.of(2)),
      }),
    found: [{ rule: 'page-size', page: 1, measured: { unit: 'mm', value: [420, 594] } }],
  },
  {
    name: 'a bar that reaches the edge',
    part: 'file-page',
    ruleSet: standard,
    pdf: () => aPdfThatDraws({ draws: textLines }, { draws: [draw.box(0, 120, 60, 10)] }),
    found: [
      {
        rule: 'print-area',
        page: 2,
        rectangle: { x: 0, y: 119.9, width: 4.6, height: 10.2 },
        measured: { unit: 'mm', value: 4.9 },
      },
    ],
  },
  {
    name: 'text that begins left of the body of a window letter',
    part: 'supplied',
    ruleSet: windowLetter,
    pdf: () => aPdfThatDraws({ draws: [...addressLines, draw.box(12, 110, 40, 4)] }),
    found: [
      {
        rule: 'print-area',
        page: 1,
        rectangle: { x: 11.9, y: 110, width: 2, height: 4.1 },
        measured: { unit: 'mm', value: 2.9 },
      },
    ],
  },
  {
    name: 'an address where we print ours',
    part: 'first-page-with-our-address',
    ruleSet: standard,
    pdf: () => aPdfThatDraws({ draws: [...textLines, draw.box(30, 45, 40, 10)] }),
    found: [
      {
        rule: 'address-window',
        page: 1,
        rectangle: { x: 30, y: 45, width: 40.1, height: 10.2 },
        measured: { unit: 'mm', value: 13.3 },
      },
    ],
  },
  {
    name: 'white text in the window',
    part: 'supplied',
    ruleSet: windowLetter,
    pdf: () => aPdfThatDraws({ draws: [draw.text(30, 55, 'EX9 9EX', { grey: 1 })] }),
    found: [
      {
        rule: 'window-hidden-content',
        page: 1,
        rectangle: { x: 30.3, y: 52.4, width: 12.7, height: 2.6 },
        measured: { unit: 'characters', value: 6 },
      },
    ],
  },
  {
    name: 'white text in the window of a page that is turned',
    part: 'supplied',
    ruleSet: windowLetter,
    pdf: () =>
      aPdfThatDraws({
        size: [297, 210],
        draws: [draw.text(45, 180, 'EX9 9EX', { grey: 1 })],
        change: (page) => page.setRotation(degrees(90)),
      }),
    found: [
      {
        rule: 'window-hidden-content',
        page: 1,
        rectangle: { x: 30, y: 45.3, width: 2.6, height: 12.7 },
        measured: { unit: 'characters', value: 6 },
      },
    ],
  },
  {
    name: 'text under a white box in the window',
    part: 'first-page-with-our-address',
    ruleSet: standard,
    pdf: () =>
      aPdfThatDraws({ draws: [draw.text(30, 55, 'EX9 9EX'), draw.box(24, 39, 97, 28, 1)] }),
    found: [
      {
        rule: 'window-hidden-content',
        page: 1,
        rectangle: { x: 30.3, y: 52.4, width: 12.7, height: 2.6 },
        measured: { unit: 'characters', value: 6 },
      },
    ],
  },
  {
    name: 'text that is not painted in the window',
    part: 'supplied',
    ruleSet: standard,
    pdf: () => aPdfThatDraws({ draws: [draw.text(30, 55, 'EX9 9EX', { mode: 3 })] }),
    found: [
      {
        rule: 'window-hidden-content',
        page: 1,
        rectangle: { x: 30.3, y: 52.4, width: 12.7, height: 2.6 },
        measured: { unit: 'characters', value: 6 },
      },
    ],
  },
  {
    name: 'a picture under a white box in the window',
    part: 'supplied',
    ruleSet: standard,
    pdf: () =>
      aPdfThatDraws({ draws: [draw.picture(40, 45, 20, 10), draw.box(24, 39, 97, 28, 1)] }),
    found: [
      {
        rule: 'window-hidden-content',
        page: 1,
        rectangle: { x: 39.9, y: 45, width: 20.3, height: 10.2 },
      },
    ],
  },
  {
    name: 'a stamp where the insertion mark is printed',
    part: 'file-page',
    ruleSet: standard,
    pdf: () => aPdfThatDraws({ draws: [...textLines, draw.box(8, 280, 20, 5)] }),
    found: [
      {
        rule: 'reserved-strip',
        page: 1,
        rectangle: { x: 7.9, y: 280, width: 6.6, height: 5.1 },
        measured: { unit: 'mm', value: 5 },
      },
    ],
  },
  {
    name: 'a line below the window',
    part: 'supplied',
    ruleSet: windowLetter,
    pdf: () => aPdfThatDraws({ draws: [...addressLines, draw.box(30, 75, 60, 2)] }),
    found: [
      {
        rule: 'reserved-strip',
        page: 1,
        rectangle: { x: 30, y: 74.9, width: 60.2, height: 2 },
        measured: { unit: 'mm', value: 10.6 },
      },
    ],
  },
  {
    name: 'a font that is not embedded',
    part: 'file-page',
    ruleSet: standard,
    pdf: () => aPdfThatDraws({ draws: [draw.text(20, 30, 'Helvetica', { font: 'Standard' })] }),
    found: [{ rule: 'font-not-embedded', page: 1 }],
  },
]

/** Letters as people write them and printers print them. */
export const acceptedFixtures: readonly PreflightFixture[] = [
  {
    name: 'a page of a word processor',
    part: 'file-page',
    ruleSet: standard,
    pdf: () => aPdfThatDraws({ draws: textLines }),
    found: [],
  },
  {
    name: 'text 15 mm from the edges',
    part: 'file-page',
    ruleSet: windowLetter,
    pdf: () => aPdfThatDraws({ draws: [draw.text(15, 18, 'Margins of 15 mm')] }),
    found: [],
  },
  {
    name: 'a white rectangle behind the whole page',
    part: 'first-page-with-our-address',
    ruleSet: standard,
    pdf: () => aPdfThatDraws({ draws: [draw.box(0, 0, 210, 297, 1), ...textLines] }),
    found: [],
  },
  {
    name: 'a landscape page that is turned to portrait',
    part: 'file-page',
    ruleSet: standard,
    pdf: () =>
      aPdfThatDraws({
        size: [297, 210],
        draws: [draw.box(20, 20, 257, 170)],
        change: (page) => page.setRotation(degrees(270)),
      }),
    found: [],
  },
  {
    name: 'thin lines at the limit',
    part: 'file-page',
    ruleSet: standard,
    pdf: () => aPdfThatDraws({ draws: [draw.line(5, 5, 200, 0.1), draw.line(20, 292, 185, 0.1)] }),
    found: [],
  },
  {
    name: 'a supplied letter with its address in the window',
    part: 'supplied',
    ruleSet: windowLetter,
    pdf: () =>
      aPdfThatDraws(
        { draws: [...addressLines, draw.box(15, 5, 40, 20), ...textLines] },
        { draws: textLines },
      ),
    found: [],
  },
  {
    name: 'a picture that is seen in the window',
    part: 'supplied',
    ruleSet: standard,
    pdf: () => aPdfThatDraws({ draws: [draw.picture(40, 45, 20, 10)] }),
    found: [],
  },
  {
    name: 'a page whose crop box shows A4 of larger paper',
    part: 'file-page',
    ruleSet: standard,
    pdf: () => aPdfThatDraws(croppedToA4),
    found: [],
  },
  {
    name: 'a page of A4 in a unit of its own',
    part: 'file-page',
    ruleSet: standard,
    pdf: () =>
      aPdfThatDraws({
        size: [105, 148.5],
        draws: [draw.box(20, 20, 60, 60)],
        change: ({ node }) => node.set(PDFName.of('UserUnit'), PDFNumber.of(2)),
      }),
    found: [],
  },
  {
    name: 'a page that is 1.9 mm too large',
    part: 'file-page',
    ruleSet: standard,
    pdf: () => aPdfThatDraws({ size: [211.9, 298.9], draws: textLines }),
    found: [],
  },
]
