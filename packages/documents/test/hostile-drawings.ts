import { deflateSync } from 'node:zlib'
import { type ObjectSource, writePdf } from './write-pdf.ts'

/** PDFs of one page whose drawing demands very much, by kind and then by name. Each is made on request. */
export const hostileDrawings: Readonly<Record<string, Readonly<Record<string, () => Uint8Array>>>> =
  {
    'function shadings': {
      'a shading by a function of 60,000 operators': () =>
        shaded(`/ShadingType 1/Domain[0 1 0 1]/Matrix[600 0 0 850 0 0]`, calculator(30_000, 2, 3)),
      'a shading by a function of 5,000 operators': () =>
        shaded(`/ShadingType 1/Domain[0 1 0 1]/Matrix[600 0 0 850 0 0]`, calculator(2_500, 2, 3)),
      'a radial shading by a function of 60,000 operators': () =>
        shaded('/ShadingType 3/Coords[300 400 0 300 400 500]', calculator(30_000, 1, 3)),
    },
    'mesh shadings': {
      'a mesh of 100,000 triangles over the page': () => meshed(4, 300_000, 1 + 4 + 3),
      'a mesh of 20,000 patches over the page': () => meshed(6, 20_000, 1 + 24 * 2 + 12),
    },
    'calculator functions': {
      'braces 10,000 deep': () =>
        shaded('/ShadingType 2/Coords[0 0 600 0]', {
          dictionary: '/FunctionType 4/Domain[0 1]/Range[0 1 0 1 0 1]',
          data: `{${'dup 0 gt {'.repeat(10_000)}${'} if '.repeat(10_000)} dup dup}`,
        }),
    },
    'stitched functions': {
      'functions that double 24 times': () =>
        shaded('/ShadingType 2/Coords[0 0 600 0]', ...doubled()),
      'a function of itself': () =>
        shaded(
          '/ShadingType 2/Coords[0 0 600 0]',
          '<</FunctionType 3/Domain[0 1]/Functions[11 0 R 11 0 R]/Bounds[0.5]/Encode[0 1 0 1]>>',
        ),
    },
    'sampled functions': {
      'samples in sixteen dimensions': () => colouredImage(16, sampled(16)),
      'samples in eight dimensions, for each pixel of an image': () =>
        colouredImage(8, sampled(8), 900),
    },
    'colour spaces': {
      'an image whose colours are calculated by 2,000 operators': () =>
        colouredImage(4, calculator(1_000, 4, 3), 2_000),
      'a colour space of itself': () =>
        drawn('/CS0 cs 1 scn 0 0 9 9 re f', '/ColorSpace<</CS0 10 0 R>>', {
          10: '[/Separation/A 10 0 R 11 0 R]',
          11: calculator(1, 1, 3),
        }),
      'colour spaces 60 deep': () =>
        drawn('/CS0 cs 1 scn 0 0 9 9 re f', '/ColorSpace<</CS0 10 0 R>>', {
          ...numbered(60, (number) =>
            number === 69 ? '/DeviceRGB' : `[/Indexed ${number + 1} 0 R 0<000000>]`,
          ),
        }),
    },
    groups: {
      '3,000 isolated knockout groups': () => grouped(3_000, '/I true/K true'),
      '2,000 groups by the opacity of a graphics state': () =>
        drawn(
          '/GS0 gs '.concat('/Fm0 Do '.repeat(2_000)),
          `${gs('/ca 0.5')}/XObject<</Fm0 10 0 R>>`,
          {
            10: form('1 0 0 rg 0 0 600 850 re f', '/Group<</S/Transparency>>'),
          },
        ),
      'groups 30 deep': () =>
        drawn('/Fm0 Do', '/XObject<</Fm0 10 0 R>>', chained(30, 1, '/I true')),
      'groups that double twelve times': () =>
        drawn('/Fm0 Do', '/XObject<</Fm0 10 0 R>>', chained(12, 2, '/I true/K true')),
    },
    'soft masks': {
      'a soft mask set 3,000 times': () =>
        drawn('/GS0 gs 0 0 600 850 re f '.repeat(3_000), gs('/SMask<</S/Luminosity/G 10 0 R>>'), {
          10: form('1 g 0 0 600 850 re f', '/Group<</S/Transparency/CS/DeviceGray>>'),
        }),
      'soft masks within soft masks, 30 deep': () =>
        drawn('/GS0 gs 0 0 600 850 re f', gs('/SMask<</S/Luminosity/G 10 0 R>>'), {
          ...numbered(30, (number) =>
            form(
              '/GS0 gs 1 g 0 0 600 850 re f',
              `/Group<</S/Transparency/CS/DeviceGray>>/Resources<<${
                number === 39 ? '' : gs(`/SMask<</S/Luminosity/G ${number + 1} 0 R>>`)
              }>>`,
            ),
          ),
        }),
      'a soft mask of itself': () =>
        drawn('/GS0 gs 0 0 600 850 re f', gs('/SMask<</S/Alpha/G 10 0 R>>'), {
          10: form(
            '/GS0 gs 0 0 600 850 re f',
            `/Group<</S/Transparency>>/Resources<<${gs('/SMask<</S/Alpha/G 10 0 R>>')}>>`,
          ),
        }),
    },
    'tiling patterns': {
      'a cell of a hundredth of a point': () => tiled('/XStep 0.01/YStep 0.01', '0 0 1 1 re f'),
      'cells that run backwards in tiny steps': () =>
        tiled('/XStep -0.001/YStep -0.001', '0 0 1 1 re f'),
      'a small cell of 5,000 operators': () =>
        tiled('/XStep 2/YStep 2', '0 0 1 1 re f '.repeat(2_500)),
      'a small matrix': () => tiled('/XStep 1/YStep 1/Matrix[0.001 0 0 0.001 0 0]', '0 0 1 1 re f'),
      'patterns within patterns, ten deep': () =>
        drawn('/Pattern cs /P0 scn 0 0 600 850 re f', '/Pattern<</P0 10 0 R>>', {
          ...numbered(10, (number) =>
            tile(
              '/XStep 20/YStep 20',
              '/Pattern cs /P0 scn 0 0 20 20 re f',
              number === 19 ? '' : `/Pattern<</P0 ${number + 1} 0 R>>`,
            ),
          ),
        }),
    },
    forms: {
      'ten forms of ten forms, nine deep': () =>
        drawn('/Fm0 Do', '/XObject<</Fm0 10 0 R>>', chained(9, 10)),
      'forms that double 24 times': () =>
        drawn('/Fm0 Do', '/XObject<</Fm0 10 0 R>>', chained(24, 2)),
      'a form of itself': () =>
        drawn('/Fm0 Do', '/XObject<</Fm0 10 0 R>>', {
          10: form('/Fm0 Do /Fm0 Do', '/Resources<</XObject<</Fm0 10 0 R>>>>'),
        }),
      'forms 500 deep': () => drawn('/Fm0 Do', '/XObject<</Fm0 10 0 R>>', chained(500, 1)),
      'a form of 2,000 operators drawn 5,000 times': () =>
        drawn('/Fm0 Do '.repeat(5_000), '/XObject<</Fm0 10 0 R>>', {
          10: form('0 0 m 9 9 l S '.repeat(700)),
        }),
    },
    'Type 3 fonts': {
      'a glyph of 3,000 operators shown 50,000 times': () =>
        lettered('0 0 1 1 re f '.repeat(1_500), 50_000),
      'a glyph that shows itself': () =>
        lettered('BT /F0 1 Tf (aaaa) Tj ET', 100, '/Resources<</Font<</F0 10 0 R>>>>'),
      'glyphs of glyphs, six deep': () =>
        drawn(`BT /F0 9 Tf (${'a'.repeat(30)}) Tj ET`, '/Font<</F0 10 0 R>>', {
          ...numbered(6, (number) =>
            type3(`${number + 10}`, `/Resources<</Font<</F0 ${number + 1} 0 R>>>>`),
          ),
          16: '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
          ...Object.fromEntries(
            Array.from({ length: 6 }, (_, at) => [
              20 + at,
              { data: `1000 0 d0 BT /F0 1 Tf (${'a'.repeat(30)}) Tj ET` },
            ]),
          ),
        }),
    },
    operators: {
      'a million lines': () => drawn('0 0 m 600 850 l S '.repeat(333_000)),
      'a path of a million segments': () =>
        drawn(`0 0 m ${'600 850 l 0 850 l '.repeat(500_000)}f*`),
      'half a million saved states': () => drawn(`${'q '.repeat(500_000)}${'Q '.repeat(500_000)}`),
      'the same content 100,000 times': () =>
        writePdf({
          page: `/Contents[${'4 0 R '.repeat(100_000)}]`,
          content: { data: '0 0 m 9 9 l S '.repeat(100) },
        }),
      'text of three million characters': () =>
        drawn(`BT /F1 9 Tf ${`(${'W'.repeat(30_000)}) Tj `.repeat(100)}ET`),
      'painted over 50,000 times': () => drawn('0 0 600 850 re f '.repeat(50_000)),
    },
    clips: {
      '20,000 clips within each other': () =>
        drawn('0 0 m 600 0 l 300 850 l h W n '.repeat(20_000).concat('0 0 600 850 re f')),
      'text as a clip, 2,000 times': () =>
        drawn('q BT /F1 900 Tf 7 Tr (WWWW) Tj ET 0 0 600 850 re f Q '.repeat(2_000)),
    },
    dashes: {
      'dashes of a ten-thousandth of a point': () =>
        drawn('[0.0001] 0 d 0 0 m 600 850 l S '.repeat(20)),
      'a pattern of 100,000 dashes': () =>
        drawn(`[${'1 2 '.repeat(50_000)}] 0 d 0 0 m 600 850 l S`),
      'dashes on a line of a million kilometres': () =>
        drawn('[1] 0 d 0 0 m 2000000000 850 l S '.repeat(20)),
    },
    'inline images': {
      '50,000 inline images': () =>
        drawn('BI /W 1 /H 1 /BPC 8 /CS /G ID x EI '.repeat(50_000).concat('0 0 9 9 re f')),
      'an inline image of 400 million pixels': () =>
        drawn('600 0 0 850 0 0 cm BI /W 20000 /H 20000 /BPC 1 /IM true /F /RL ID \x80 EI'),
    },
    images: {
      'an image of 90 million pixels, nearly empty': () =>
        pictured(9_000, '/BitsPerComponent 8', 81_000_000),
      'an image of a million pixels drawn 20,000 times': () =>
        pictured(1_000, '/BitsPerComponent 8', 1_000_000, 20_000),
      'JBIG2 of 90 million pixels': () =>
        pictured(9_500, '/BitsPerComponent 1/Filter/JBIG2Decode', jbig2(9_500)),
      'JPEG 2000 that states other sizes than its dictionary': () =>
        pictured(10, '/Filter/JPXDecode', jpx(60_000)),
      'fax of 90 million pixels': () =>
        pictured(
          9_500,
          '/BitsPerComponent 1/Filter/CCITTFaxDecode/DecodeParms<</K -1/Columns 9500/Rows 9500>>',
          Buffer.alloc(1_000),
        ),
      'a mask larger than its image': () =>
        drawn('600 0 0 850 0 0 cm /Im0 Do', '/XObject<</Im0 10 0 R>>', {
          10: image(10, '/BitsPerComponent 8/SMask 11 0 R', 100),
          11: image(9_000, '/BitsPerComponent 8', 81_000_000),
        }),
    },
    annotations: {
      '20,000 annotations with an appearance': () =>
        writePdf({
          page: `/Annots[${'10 0 R '.repeat(20_000)}]`,
          objects: {
            10: '<</Type/Annot/Subtype/Stamp/F 4/Rect[0 0 600 850]/AP<</N 11 0 R>>>>',
            11: form('0 0 600 850 re f', '/Group<</S/Transparency>>'),
          },
        }),
    },
    pages: {
      'a page of a thousand kilometres': () =>
        writePdf({ page: '/MediaBox[0 0 2000000000 2000000000]/UserUnit 75000' }),
    },
  }

type Resources = string

/** A letter of one page with this content, these resources and further objects from 10. */
function drawn(
  content: string,
  resources: Resources = '',
  objects: Readonly<Record<number, ObjectSource>> = {},
): Uint8Array {
  const fonts = resources.includes('/Font<<') ? '' : '/Font<</F1 5 0 R>>'
  return writePdf({
    page: `/Resources<<${fonts}${resources}>>`,
    content: compressed('', content),
    objects,
  })
}

function compressed(dictionary: string, data: string | Uint8Array): ObjectSource {
  return {
    dictionary: `${dictionary}/Filter/FlateDecode`,
    data: deflateSync(typeof data === 'string' ? Buffer.from(data, 'latin1') : data),
  }
}

const gs = (entries: string) => `/ExtGState<</GS0<<${entries}>>>>`

function form(content: string, more = ''): ObjectSource {
  return compressed(`/Type/XObject/Subtype/Form/BBox[0 0 600 850]${more}`, content)
}

/** Forms that each draw the next one `times` times. With `group` each is a transparency group. */
function chained(length: number, times: number, group?: string): Record<number, ObjectSource> {
  const groups = group === undefined ? '' : `/Group<</S/Transparency${group}>>`
  return numbered(length, (number) =>
    number === 9 + length
      ? form('1 0 0 rg 0 0 600 850 re f', groups)
      : form('/Fm0 Do '.repeat(times), `${groups}/Resources<</XObject<</Fm0 ${number + 1} 0 R>>>>`),
  )
}

function grouped(times: number, group: string): Uint8Array {
  return drawn('/Fm0 Do '.repeat(times), '/XObject<</Fm0 10 0 R>>', {
    10: form('1 0 0 rg 0 0 600 850 re f', `/Group<</S/Transparency${group}>>`),
  })
}

/** The function is object 11. */
function shaded(shading: string, ...functions: ObjectSource[]): Uint8Array {
  return drawn('/Sh0 sh', '/Shading<</Sh0 10 0 R>>', {
    10: `<<${shading}/ColorSpace/DeviceRGB/Function 11 0 R/Extend[true true]>>`,
    ...Object.fromEntries(functions.map((each, at) => [11 + at, each])),
  })
}

/** A calculator function with twice as many operators as `pairs`, and some more for its results. */
function calculator(pairs: number, inputs: number, outputs: number): ObjectSource {
  const pops = 'pop '.repeat(Math.max(0, inputs - outputs))
  const dups = 'dup '.repeat(Math.max(0, outputs - inputs))
  return compressed(
    `/FunctionType 4/Domain[${'0 1 '.repeat(inputs)}]/Range[${'0 1 '.repeat(outputs)}]`,
    `{${'sin cos '.repeat(pairs)}${pops}${dups}}`,
  )
}

function sampled(inputs: number): ObjectSource {
  return compressed(
    `/FunctionType 0/Domain[${'0 1 '.repeat(inputs)}]/Range[0 1 0 1 0 1]/Size[${'2 '.repeat(inputs)}]/BitsPerSample 8`,
    Buffer.alloc(3 * 2 ** inputs, 90),
  )
}

/** Twenty-four functions that each stitch the next one to itself. */
function doubled(): ObjectSource[] {
  return Array.from({ length: 25 }, (_, at) =>
    at === 24
      ? '<</FunctionType 2/Domain[0 1]/N 1/C0[0 0 0]/C1[1 1 1]>>'
      : `<</FunctionType 3/Domain[0 1]/Functions[${12 + at} 0 R ${12 + at} 0 R]/Bounds[0.5]/Encode[0 1 0 1]>>`,
  )
}

function meshed(type: 4 | 6, count: number, bytes: number): Uint8Array {
  const data = Buffer.alloc(count * bytes)
  for (let at = 0; at < data.length; at++) data[at] = (at % 257) * 97 + ((at * at) >> 5)
  for (let at = 0; at < count; at++) data[at * bytes] = 0
  return drawn('/Sh0 sh', '/Shading<</Sh0 10 0 R>>', {
    10: compressed(
      `/ShadingType ${type}/ColorSpace/DeviceRGB/BitsPerCoordinate 16/BitsPerComponent 8/BitsPerFlag 8/Decode[0 600 0 850 0 1 0 1 0 1]`,
      data,
    ),
  })
}

function colouredImage(inks: number, transform: ObjectSource, side = 700): Uint8Array {
  const names = Array.from({ length: inks }, (_, at) => `/Ink${at}`).join('')
  return drawn('600 0 0 850 0 0 cm /Im0 Do', '/XObject<</Im0 10 0 R>>', {
    10: image(
      side,
      `/BitsPerComponent 8/ColorSpace[/DeviceN[${names}]/DeviceRGB 11 0 R]`,
      side * side * inks,
    ),
    11: transform,
  })
}

function image(side: number, entries: string, bytes: number | Uint8Array): ObjectSource {
  const space =
    entries.includes('/ColorSpace') || entries.includes('JPX') ? '' : '/ColorSpace/DeviceGray'
  const dictionary = `/Type/XObject/Subtype/Image/Width ${side}/Height ${side}${space}${entries}`
  return typeof bytes === 'number'
    ? compressed(dictionary, Buffer.alloc(bytes, 90))
    : { dictionary, data: bytes }
}

function pictured(
  side: number,
  entries: string,
  bytes: number | Uint8Array,
  times = 1,
): Uint8Array {
  return drawn('600 0 0 850 0 0 cm '.concat('/Im0 Do '.repeat(times)), '/XObject<</Im0 10 0 R>>', {
    10: image(side, entries, bytes),
  })
}

/** Page information, then a generic region without data: all of it is decoded as if zeros followed. */
function jbig2(side: number): Buffer {
  const info = Buffer.alloc(30)
  info.writeUInt8(48, 4)
  info.writeUInt8(1, 6)
  info.writeUInt32BE(19, 7)
  info.writeUInt32BE(side, 11)
  info.writeUInt32BE(side, 15)
  const region = Buffer.alloc(11 + 26 + 100, 0)
  region.writeUInt32BE(1, 0)
  region.writeUInt8(38, 4)
  region.writeUInt8(1, 6)
  region.writeUInt32BE(126, 7)
  region.writeUInt32BE(side, 11)
  region.writeUInt32BE(side, 15)
  region.set([3, 0xff, 0xfd, 0xff, 2, 0xfe, 0xfe, 0xfe], 29)
  return Buffer.concat([info, region])
}

/** A code stream whose header states `side` squared pixels. */
function jpx(side: number): Buffer {
  const size = Buffer.alloc(49)
  size.writeUInt16BE(0xff4f, 0)
  size.writeUInt16BE(0xff51, 2)
  size.writeUInt16BE(47, 4)
  size.writeUInt32BE(side, 8)
  size.writeUInt32BE(side, 12)
  size.writeUInt32BE(side, 24)
  size.writeUInt32BE(side, 28)
  size.writeUInt16BE(3, 40)
  for (let at = 42; at < 49; at += 3) size.writeUInt8(7, at)
  return Buffer.concat([size, Buffer.from([1, 1, 7, 1, 1, 0xff, 0xd9])])
}

function tile(entries: string, content: string, resources = ''): ObjectSource {
  return compressed(
    `/Type/Pattern/PatternType 1/PaintType 1/TilingType 1/BBox[0 0 20 20]${entries}/Resources<<${resources}>>`,
    content,
  )
}

function tiled(entries: string, content: string): Uint8Array {
  return drawn('/Pattern cs /P0 scn 0 0 600 850 re f', '/Pattern<</P0 10 0 R>>', {
    10: tile(entries, content),
  })
}

/** A font whose only glyph, `a`, is in the given object. */
function type3(glyph: string, more = ''): string {
  return `<</Type/Font/Subtype/Type3/FontBBox[0 0 1 1]/FontMatrix[1 0 0 1 0 0]/FirstChar 97/LastChar 97/Widths[1]/Encoding<</Differences[97/a]>>/CharProcs<</a ${glyph} 0 R>>${more}>>`
}

function lettered(glyph: string, times: number, more = ''): Uint8Array {
  return drawn(`BT /F0 9 Tf (${'a'.repeat(times)}) Tj ET`, '/Font<</F0 10 0 R>>', {
    10: type3('11', more),
    11: compressed('', `1 0 d0 ${glyph}`),
  })
}

function numbered(
  count: number,
  make: (number: number) => ObjectSource,
): Record<number, ObjectSource> {
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => [index + 10, make(index + 10)]),
  )
}
