import { degrees, PDFDocument, PDFName, type PDFPage } from 'pdf-lib'
import { subsetFor } from '../src/font-subset.ts'
import { edgeResources } from './edge-resources.ts'
import { type Random, seededRandom } from './fuzz/random.ts'
import { hostileFonts } from './hostile-fonts.ts'

/** A page whose ink is not where a simple check looks for it. Content is in points from the bottom left. */
export type EdgePage = {
  name: string
  content: string
  /** Changes the page before it is saved: rotates it, crops it, adds an annotation. */
  change?: (page: PDFPage) => void
}

const number = (value: number) => String(Math.round(value * 1000) / 1000)

/** Operators that draw an image with the matrix that places its unit square. */
const image = (name: string, matrix: readonly number[]) =>
  `q ${matrix.map(number).join(' ')} cm /${name} Do Q`
const text = (font: string, size: number, matrix: readonly number[], shown = '<Wide>') =>
  `BT /${font} ${size} Tf ${matrix.map(number).join(' ')} Tm ${shown} Tj ET`
const plain = image('Photo', [275, 0, 0, 389, 160, 60])

/** Each extends far beyond its stated place, or prints an image in an unusual way. */
const pages: readonly [name: string, content: string, change?: (page: PDFPage) => void][] = [
  ['an image within', plain],
  ['an image that reaches the edge', image('Photo', [300, 0, 0, 300, 300, 300])],
  ['an image over the whole page', image('Photo', [596, 0, 0, 842, 0, 0])],
  ['an image turned about', image('Photo', [200, 200, -200, 200, 210, 300])],
  ['an image sheared out of the area', image('Photo', [200, 0, 900, 200, 60, 300])],
  ['an image mirrored to the left', image('Photo', [-300, 0, 0, 300, 295, 300])],
  ['an image mirrored within', image('Photo', [-300, 0, 0, -300, 450, 600])],
  ['an image in the strip', image('Photo', [40, 0, 0, 30, 24, 24])],
  ['an image beside the strip', image('Photo', [40, 0, 0, 30, 44, 20])],
  ['an image at the very edge of the area', image('Photo', [100, 0, 0, 9, 14.2, 400])],
  ['an image thinner than a pixel', image('Photo', [0.01, 0, 0, 800, 14, 20])],
  ['an image of a stencil', `1 0 0 rg ${image('Stencil', [300, 0, 0, 300, 200, 300])}`],
  [
    'a stencil filled with a pattern',
    `/Pattern cs /Bars scn ${image('Stencil', [300, 0, 0, 300, 250, 300])}`,
  ],
  ['an image with a soft mask', image('Masked', [300, 0, 0, 300, 200, 300])],
  ['an image with a soft mask that reaches the edge', image('Masked', [300, 0, 0, 300, 300, 300])],
  [
    'an image under a soft mask of the page',
    `q /Soft gs ${image('Photo', [300, 0, 0, 300, 200, 300])} Q ${image('Photo', [300, 0, 0, 300, 300, 100])}`,
  ],
  ['an image multiplied with a box', `q 0.5 g 0 200 596 200 re f /Multiply gs ${plain} Q`],
  ['a box multiplied with an image', `${plain} q /Multiply gs 0.5 g 0 200 596 200 re f Q`],
  ['a form with an image out of the area', 'q 5 0 0 5 0 0 cm /Form Do Q'],
  ['a form with an image within', 'q 1 0 0 1 200 200 cm /Form Do Q'],
  ['an image in a form of its own transparency', 'q /Half gs 3 0 0 3 300 300 cm /Form Do Q'],
  [
    'an image cut off at the area',
    `q 100 100 300 300 re W n ${image('Photo', [596, 0, 0, 842, 0, 0])} Q`,
  ],
  [
    'an inline image out of the area',
    'q 300 0 0 300 350 300 cm BI /W 1 /H 1 /CS /G /BPC 8 ID \0 EI Q',
  ],
  ['an inline image within', 'q 100 0 0 100 350 300 cm BI /W 1 /H 1 /CS /G /BPC 8 ID \0 EI Q'],
  ['a huge glyph', `${plain} BT /Text 900 Tf 100 200 Td <Wide> Tj ET`],
  ['text without a width', `${plain} BT /Narrow 300 Tf 350 400 Td <Wide> Tj ET`],
  [
    'text without a width, outlined',
    `${plain} 100 w 1 Tr BT /Narrow 300 Tf 270 400 Td <Wide> Tj ET`,
  ],
  ['text stretched to the right', `${plain} BT /Text 30 Tf 3000 Tz 100 400 Td <Wide> Tj ET`],
  ['text stretched to the left', `${plain} BT /Text 30 Tf -3000 Tz 500 400 Td <Wide> Tj ET`],
  ['text sheared', `${plain} BT /Text 100 Tf 1 0 5 1 60 400 Tm <Wide> Tj ET`],
  ['a glyph that is drawn far from its box', `${plain} BT /Drawn 300 Tf 400 400 Td (A) Tj ET`],
  ...[
    'FarRight',
    'FarLeft',
    'FarUp',
    'Composite',
    'FewUnits',
    'Instructed',
    'ManyGlyphs',
    'Cut',
  ].map((font): [string, string] => [
    `a glyph of the hostile font ${font}`,
    text(font, 10, [1, 0, 0, 1, 300, 550]),
  ]),
  ['a hostile font, turned about', text('FarRight', 10, [1, 1, -1, 1, 300, 550])],
  ['a hostile font that reaches up', text('FarRight', 10, [0, 1, -1, 0, 300, 550])],
  ['invisible text of a hostile font', `3 Tr ${text('FarRight', 10, [1, 0, 0, 1, 300, 550])}`],
  ['a tall glyph of a named font', text('Named', 18, [1, 0, 0, 1, 300, 330])],
  ['a glyph that instructions move', text('Instructed', 10, [1, 0, 0, 1, 300, 750])],
  ['text that goes down', text('Down', 20, [1, 0, 0, 1, 300, 400])],
  ['text of a simple font', text('Simple', 10, [1, 0, 0, 1, 300, 400], '(W)')],
  ['a huge glyph of a simple font', text('Simple', 400, [1, 0, 0, 1, 300, 400], '(W)')],
  ['text within', text('Text', 11, [1, 0, 0, 1, 70, 400])],
  ['text near the edge', text('Text', 11, [1, 0, 0, 1, 10, 400])],
  ['text enlarged by the page', `q 40 0 0 40 0 0 cm ${text('Text', 10, [1, 0, 0, 1, 7, 10])} Q`],
  ['text of a negative size', text('Text', -300, [1, 0, 0, 1, 400, 400])],
  ['text raised out of the area', `BT /Text 10 Tf 420 Ts 100 410 Td <Wide> Tj ET`],
  ['text spread out', 'BT /Text 10 Tf 100 400 Td [<Wide> -50000 <Wide>] TJ ET'],
  ['text drawn back', 'BT /Text 10 Tf 300 400 Td [<Wide> 30000 <Wide>] TJ ET'],
  ['text that is spaced', 'BT /Text 10 Tf 600 Tc 100 400 Td [<Wide> <Wide>] TJ ET'],
  ['an outline of text', `60 w 1 Tr ${text('Text', 200, [1, 0, 0, 1, 60, 400])}`],
  [
    'text that cuts off what follows',
    `7 Tr ${text('Text', 900, [1, 0, 0, 1, -100, 100])} 0 0 596 842 re f`,
  ],
  [
    'text filled with a pattern',
    `/Pattern cs /Bars scn ${text('Text', 11, [1, 0, 0, 1, 70, 400])}`,
  ],
  ['a box within', '100 100 300 300 re f'],
  ['a box at the edge of the area', '14.3 100 300 300 re f'],
  ['a frame with a wide line', '100 w 60 100 300 300 re S'],
  ['a line of no width', '0 w 5 100 m 5 700 l S 0 w 100 100 m 300 300 l S'],
  ['a line stretched by the page', 'q 1 0 0 60 0 0 cm 10 w 100 10 m 400 10 l S Q'],
  ['a curve out of the area', '100 400 m -300 400 -300 500 100 500 c f'],
  ['a dashed line', '[200 5] 0 d 50 w 2 J 60 400 m 500 400 l S'],
  ['a white box over ink at the edge', '0 0 50 800 re f 1 g 0 100 60 600 re f'],
  ['text under a soft mask', `q /Soft gs ${text('Text', 300, [1, 0, 0, 1, 60, 400])} Q`],
  ['a line that is wider than it is long', `${plain} 600 w 300 400 m 300 410 l S`],
  ['a mitre where a path closes', '40 w 20 M 200 400 m 400 420 l 400 380 l s'],
  ['the same with the usual limit', '60 w 10 M 200 400 m 400 430 l 400 370 l s'],
  ['a mitre of a line that turns back', '40 w 100 M 100 400 m 400 405 l 100 410 l S'],
  ['a wide curve', '180 w 210 600 m 210 815 385 815 385 600 c S'],
  ['a wide flat curve', '150 w 200 600 m 200 815 395 815 395 600 c S'],
  ['a thin rule and a thin frame', '1 w 70 400 m 500 400 l S 70 100 400 200 re S'],
  ['a mitre', `${plain} 40 w 100 M 100 400 m 400 410 l 100 420 l S`],
  ['a shading', `${plain} /Shade sh`],
  ['a pattern', `${plain} /Pattern cs /Bars scn 20 100 600 100 re f`],
  ['a page turned by 90', image('Photo', [300, 0, 0, 300, 500, 100]), turn(90)],
  ['a page turned by 180', image('Photo', [300, 0, 0, 300, 300, 300]), turn(180)],
  [
    'a page turned by 270 with an image in the strip',
    image('Photo', [50, 0, 0, 50, 790, 20]),
    turn(270),
  ],
  [
    'a page that is cut',
    image('Photo', [100, 0, 0, 100, 14, 300]),
    (page) => page.setCropBox(3, 3, 591, 837),
  ],
  [
    'a page that begins elsewhere',
    image('Photo', [100, 0, 0, 100, -80, -80]),
    (page) => page.setMediaBox(-100, -100, 595.28, 841.89),
  ],
  ['a note at the edge', plain, note([0, 300, 60, 360])],
  ['a note within', plain, note([300, 500, 360, 560])],
]

export const edgePages: readonly EdgePage[] = pages.map(([name, content, change]) => ({
  name,
  content,
  ...(change && { change }),
}))

/**
 * Returns further random pages, the same for the same seed: images, text and lines in any position, among, under and
 * over other content.
 */
export function randomEdgePages(seed: number, count: number): EdgePage[] {
  return Array.from({ length: count }, (_, index) => {
    const random = seededRandom(seed, index)
    const others = Array.from({ length: 3 }, () => random.pick(edgePages).content)
    const images = Array.from({ length: 4 }, () => randomImage(random))
    const texts = Array.from({ length: 4 }, () => randomText(random))
    const lines = Array.from({ length: 3 }, () => randomLine(random))
    const chosen = [images, texts, lines].flatMap((each) => each.slice(random.below(5)))
    const isolated = [...chosen, ...others.slice(random.below(4))].map((each) => `q ${each} Q`)
    return {
      name: `page ${index} of seed ${seed}`,
      content: isolated.join('\n'),
      change: turn(random.pick([0, 180])),
    }
  })
}

function randomImage({ below, pick }: Random): string {
  const scale = pick([10, 60, 200])
  const side = () => (below(2001) / 1000 - 1) * scale
  const upright = below(2) === 0
  const matrix = [
    side(),
    upright ? 0 : side(),
    upright ? 0 : side(),
    side(),
    below(596),
    below(842),
  ]
  return image(pick(['Photo', 'Photo', 'Masked', 'Stencil']), matrix)
}

function randomText({ below, pick }: Random): string {
  const font = pick(['Text', 'Text', 'Text', 'Narrow', ...Object.keys(hostileFonts)])
  const turned = pick([
    [1, 0, 0, 1],
    [0, 1, -1, 0],
    [-1, 0, 0, -1],
    [0.7, 0.7, -0.7, 0.7],
    [1, 0, 0.4, 1],
  ])
  const size = pick([6, 11, 11, 30, 200])
  const spacing = pick(['', '', '300 Tc', '3000 Tz', '-10 Ts'])
  const shown = pick(['<Wide>', '[<Wide><Wide>]', '[<Wide> -4000 <Wide> 900 <Wide>]'])
  const matrix = [...turned, below(596), below(842)].map(number).join(' ')
  const show = shown.startsWith('[') ? 'TJ' : 'Tj'
  const mode = pick(['0', '0', '0', '1', '2', '3'])
  return `${mode} Tr ${pick(['0', '0.5', '0.9'])} g BT /${font} ${size} Tf ${spacing} ${matrix} Tm ${shown} ${show} ET`
}

function randomLine({ below, pick }: Random): string {
  const points = Array.from({ length: 4 }, () => `${below(596)} ${below(842)}`)
  const [one, two, three, four] = points
  const [x, y] = [below(596), below(842)]
  const path = pick([
    `${one} m ${two} l`,
    `${x} ${y} m ${below(596)} ${y} l`,
    `${x} ${y} m ${x} ${below(842)} l`,
    `${x} ${y} m ${below(596)} ${y} l h`,
    `${one} m ${two} l ${three} l`,
    `${one} m ${two} l ${three} l h`,
    `${one} m ${two} ${three} ${four} c`,
    `${one} ${below(300)} ${below(300)} re`,
  ])
  const style = `${pick([0, 0.5, 3, 40, 150])} w ${pick([1, 10, 100])} M ${pick([0, 1, 2])} J ${pick([0, 1, 2])} j ${pick(['[] 0 d', '[9 3] 0 d'])}`
  return `${style} ${path} ${pick(['S', 'S', 'f', 'B', 'W n'])}`
}

function turn(angle: number) {
  return (page: PDFPage) => {
    if (angle % 180 !== 0) page.setMediaBox(0, 0, 841.89, 595.28)
    page.setRotation(degrees(angle))
  }
}

function note(rectangle: readonly number[]) {
  return (page: PDFPage) => {
    const { context } = page.doc
    const look = context.register(
      context.stream('0 0 60 60 re f', { Type: 'XObject', Subtype: 'Form', BBox: [0, 0, 60, 60] }),
    )
    page.node.addAnnot(
      context.register(
        context.obj({
          Type: 'Annot',
          Subtype: 'Stamp',
          F: 4,
          Rect: [...rectangle],
          AP: { N: look },
        }),
      ),
    )
  }
}

/** Returns a PDF of one page with every resource that edge pages name. */
export async function edgePdf({ content, change }: EdgePage): Promise<Uint8Array> {
  const document = await PDFDocument.create({ updateMetadata: false })
  const { context } = document
  const page = document.addPage([595.28, 841.89])
  page.node.set(PDFName.of('Resources'), context.obj(edgeResources(context, content)))
  const wide = subsetFor([]).glyphs.get('W')!.id.toString(16).padStart(4, '0')
  const drawn = content.replaceAll('<Wide>', `<${wide}>`)
  page.node.set(PDFName.of('Contents'), context.register(context.stream(drawn)))
  change?.(page)
  return document.save({ useObjectStreams: false })
}
