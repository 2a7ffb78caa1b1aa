import { describe, expect, test } from 'vitest'
import { type ObjectSource, writePdf } from '../../test/write-pdf.ts'
import { inspectPdf } from './inspect-pdf.ts'
import { type PdfLimits, pdfLimits } from './pdf-limits.ts'

type Drawn = { content: string; resources?: string; objects?: Record<number, ObjectSource> }

async function findingsOf({ content, resources = '', objects = {} }: Drawn, limits: object = {}) {
  const page = `/Resources<</Font<</F1 5 0 R>>${resources}>>`
  const pdf = writePdf({ page, content: { data: content }, objects })
  const { findings } = await inspectPdf(pdf, { ...pdfLimits, ...limits } as PdfLimits)
  return findings
}

const form = (data: string, more = ''): ObjectSource => ({
  dictionary: `/Type/XObject/Subtype/Form/BBox[0 0 99 99]${more}`,
  data,
})
const group = '/Group<</S/Transparency>>'
const x = '/XObject<</X 10 0 R>>'
const glyphs = {
  10: '<</Type/Font/Subtype/Type3/FontBBox[0 0 1 1]/FontMatrix[1 0 0 1 0 0]/FirstChar 97/LastChar 97/Widths[1]/CharProcs<</a 11 0 R>>>>',
  11: { data: '1 0 d0 0 0 1 1 re f' },
}
const tile = (more: string) => ({
  10: {
    dictionary: `/PatternType 1/BBox[0 0 9 9]/Resources<<>>${more}`,
    data: '0 0 9 9 re f',
  },
})
const calculator = { dictionary: '/FunctionType 4/Domain[0 1]/Range[0 1]', data: '{ 1 add 2 div }' }

const counted: [what: string, limit: keyof PdfLimits, count: number, drawn: Drawn][] = [
  ['operators', 'pageOperatorsMax', 4, { content: 'q 0 0 9 9 re f Q' }],
  [
    'operators of forms in forms',
    'pageOperatorsMax',
    2 + 2 * (3 + 3 * 2),
    {
      content: '/X Do /X Do',
      resources: x,
      objects: {
        10: form('/Y Do /Y Do /Y Do', '/Resources<</XObject<</Y 11 0 R>>>>'),
        11: form('0 0 9 9 re f'),
      },
    },
  ],
  [
    'operators of a form with the resources of its page',
    'pageOperatorsMax',
    1 + 1 + 2,
    {
      content: '/X Do',
      resources: '/XObject<</X 10 0 R/Y 11 0 R>>',
      objects: { 10: form('/Y Do'), 11: form('0 0 9 9 re f') },
    },
  ],
  [
    'operators of glyphs, for each byte of a text',
    'pageOperatorsMax',
    5 + (3 + 1 + 2) * 3,
    {
      content: 'BT /G 9 Tf (a\\)) Tj [(a) 9 <6161>] TJ ET',
      resources: '/Font<</G 10 0 R>>',
      objects: glyphs,
    },
  ],
  [
    'groups',
    'pageGroupsMax',
    3,
    { content: '/X Do '.repeat(3), resources: x, objects: { 10: form('', group) } },
  ],
  [
    'forms with an opacity',
    'pageGroupsMax',
    2,
    {
      content: '/X Do /G gs /X Do q /X Do Q /H gs /X Do',
      resources: `${x}/ExtGState<</G<</ca 0.5>>/H<</ca 1>>>>`,
      objects: { 10: form('') },
    },
  ],
  [
    'soft masks, for each object',
    'pageGroupsMax',
    2,
    {
      content: 'q /G gs 0 0 9 9 re f (a) Tj Q 0 0 9 9 re f',
      resources: '/ExtGState<</G<</SMask<</S/Alpha/G 10 0 R>>>>>>',
      objects: { 10: form('') },
    },
  ],
  ['clips, but no rectangles', 'pageClipsMax', 1, { content: '0 0 9 9 re W n 0 0 m 9 9 l W n' }],
  [
    'dashes',
    'pageDashesMax',
    12,
    {
      content: '[1 4] 0 d 0 0 m 30 40 l S q [] 0 d 0 0 m 9 0 l S Q 2 0 0 2 0 0 cm 0 0 m 10 0 l S',
    },
  ],
  [
    'cells of a pattern in what is painted with it',
    'pageTilesMax',
    200,
    {
      content: '/Pattern cs /P scn 2 0 0 2 0 0 cm 5 5 10 20 re f 0 g 0 0 99 99 re f',
      resources: '/Pattern<</P 10 0 R>>',
      objects: tile('/XStep 4/YStep -4/Matrix[.5 0 0 .5 0 0]'),
    },
  ],
  [
    'pages that are filled, by forms as large as they are drawn',
    'pageAreaMax',
    1 + 2 * 4,
    {
      content: '0 0 m 596 0 l 596 842 l f -99 -99 m 9 9 l S q 2 0 0 2 0 0 cm /X Do Q /X Do',
      resources: x,
      objects: { 10: form('0 0 298 842 re 298 0 298 842 re f', '/Matrix[1 0 0 1.6 0 0]') },
    },
  ],
  [
    'pixels of images and masks',
    'pagePixelsMax',
    100 + 4 + 6,
    {
      content: '/X Do BI /W 2 /H 3 /BPC 8 /CS /G ID abcdef EI',
      resources: x,
      objects: {
        10: { dictionary: '/Subtype/Image/Width 10/Height 10/SMask 11 0 R', data: '' },
        11: { dictionary: '/Subtype/Image/Width 2/Height 2', data: '' },
      },
    },
  ],
  [
    'steps for each pixel of an image',
    'pageStepsMax',
    4 * 1_000,
    {
      content: '/X Do',
      resources: x,
      objects: {
        10: {
          dictionary:
            '/Subtype/Image/Width 10/Height 100/BitsPerComponent 16/ColorSpace[/Separation/A/DeviceGray 11 0 R]',
          data: '',
        },
        11: calculator,
      },
    },
  ],
  [
    'steps along an axis, of stitched functions',
    'pageStepsMax',
    256 * (1 + 4 + 8),
    {
      content: '/S sh',
      resources: '/Shading<</S<</ShadingType 2/Function 10 0 R>>>>',
      objects: {
        10: '<</FunctionType 3/Functions[11 0 R 12 0 R]>>',
        11: calculator,
        12: '<</FunctionType 2/N 1>>',
      },
    },
  ],
]

describe('counts each object as often as a page draws it', () => {
  test.each(counted)('%s', async (_, limit, count, drawn) => {
    expect(await findingsOf(drawn, { [limit]: count })).toEqual([])

    const unit =
      limit === 'pagePixelsMax' ? 'pixels' : limit === 'pageAreaMax' ? 'pages' : 'objects'
    expect(await findingsOf(drawn, { [limit]: count - 1 })).toEqual([
      {
        rule: 'pdf-drawing',
        severity: 'refusal',
        page: 1,
        measured: { unit, value: count },
        allowed: { unit, max: count - 1 },
        detail: expect.stringContaining(`Page 1 of the PDF has more than ${count - 1} `),
      },
    ])
  })
})

test('counts annotations as groups', async () => {
  const objects = {
    10: '<</Subtype/Stamp/Rect[0 0 9 9]/AP<</N 11 0 R>>>>',
    11: form('0 0 9 9 re f'),
  }
  const pdf = writePdf({ page: '/Annots[10 0 R 10 0 R]', objects })
  const at = async (pageGroupsMax: number) =>
    (await inspectPdf(pdf, { ...pdfLimits, pageGroupsMax })).findings.map(({ rule }) => rule)

  expect(await at(2)).toEqual([])
  expect(await at(1)).toEqual(['pdf-drawing'])
})

describe('refuses endless drawing', () => {
  test.each<[string, Drawn]>([
    ['a form of itself', { content: '/X Do', resources: x, objects: { 10: form('/X Do') } }],
    [
      'a pattern of itself',
      {
        content: '/Pattern cs /P scn 0 0 9 9 re f',
        resources: '/Pattern<</P 10 0 R>>',
        objects: {
          10: {
            dictionary: '/PatternType 1/XStep 9/YStep 9/Resources<</Pattern<</P 10 0 R>>>>',
            data: '/Pattern cs /P scn 0 0 9 9 re f',
          },
        },
      },
    ],
    [
      'a function of itself',
      {
        content: '/S sh',
        resources: '/Shading<</S<</ShadingType 2/Function 10 0 R>>>>',
        objects: { 10: '<</FunctionType 3/Functions[10 0 R]>>' },
      },
    ],
    [
      'a cell without a size',
      {
        content: '/Pattern cs /P scn 0 0 9 9 re f',
        resources: '/Pattern<</P 10 0 R>>',
        objects: tile('/XStep 0/YStep 9'),
      },
    ],
  ])('%s', async (_, drawn) => {
    expect(await findingsOf(drawn)).toMatchObject([{ rule: 'pdf-drawing', page: 1 }])
  })
})
