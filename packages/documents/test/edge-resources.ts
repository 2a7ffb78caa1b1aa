import { readFileSync } from 'node:fs'
import { deflateSync } from 'node:zlib'
import { PDFArray, type PDFContext, PDFDict, PDFName, type PDFRef } from 'pdf-lib'
import { embedFont } from '../src/embed-font.ts'
import { subsetFor } from '../src/font-subset.ts'
import { hostileFonts } from './hostile-fonts.ts'

/** Returns the fonts, images, forms, graphics states, shadings and patterns that a content names. */
export function edgeResources(context: PDFContext, content: string) {
  const photo = registerImage(context, { ColorSpace: 'DeviceGray', BitsPerComponent: 8 })
  const mask = registerImage(context, { ColorSpace: 'DeviceGray', BitsPerComponent: 8 }, 0xc0)
  const form = (content: string, more: object) =>
    context.register(
      context.stream(content, {
        Type: 'XObject',
        Subtype: 'Form',
        BBox: [0, 0, 900, 900],
        Resources: { XObject: { Photo: photo } },
        ...more,
      }),
    )
  const group = { Group: { S: 'Transparency', CS: 'DeviceGray' } }
  const light = form('1 g 250 350 400 200 re f', group)
  return {
    Font: {
      Text: embedFont(context, subsetFor([])),
      Narrow: withoutWidths(context),
      Drawn: drawnFont(context),
      ...namedFonts(context, content),
    },
    XObject: {
      Photo: photo,
      Masked: registerImage(context, {
        ColorSpace: 'DeviceGray',
        BitsPerComponent: 8,
        SMask: mask,
      }),
      Stencil: registerImage(context, { ImageMask: true, BitsPerComponent: 1 }),
      Form: form('q 100 0 0 100 10 10 cm /Photo Do Q', group),
    },
    ExtGState: {
      Soft: { SMask: { Type: 'Mask', S: 'Luminosity', G: light } },
      Multiply: { BM: 'Multiply' },
      Half: { ca: 0.5 },
    },
    Shading: {
      Shade: {
        ShadingType: 2,
        ColorSpace: 'DeviceGray',
        Coords: [200, 0, 300, 0],
        Extend: [true, true],
        Function: { FunctionType: 2, Domain: [0, 1], N: 1, C0: [0], C1: [0.5] },
      },
    },
    ...(content.includes('/Bars ') && { Pattern: { Bars: bars(context) } }),
  }
}

/** An image of 16 by 16 pixels, black by default. */
function registerImage(context: PDFContext, kind: object, value = 0): PDFRef {
  const sides = { Width: 16, Height: 16 }
  return context.register(
    context.stream(deflateSync(Buffer.alloc(256, value)), {
      Type: 'XObject',
      Subtype: 'Image',
      Filter: 'FlateDecode',
      ...sides,
      ...kind,
    }),
  )
}

function withoutWidths(context: PDFContext): PDFRef {
  const font = embedFont(context, subsetFor([]))
  const fonts = context.lookup(font, PDFDict).lookup(PDFName.of('DescendantFonts'), PDFArray)
  const cidFont = fonts.lookup(0, PDFDict)
  cidFont.set(PDFName.of('W'), context.obj([]))
  cidFont.set(PDFName.of('DW'), context.obj(0))
  return font
}

/** A font whose one glyph is a thousand times its box and has no width. */
function drawnFont(context: PDFContext) {
  return {
    Type: 'Font',
    Subtype: 'Type3',
    FontBBox: [0, 0, 1, 1],
    FontMatrix: [0.001, 0, 0, 0.001, 0, 0],
    FirstChar: 65,
    LastChar: 65,
    Widths: [0],
    CharProcs: { a: context.register(context.stream('0 0 d0 0 0 1000 1000 re f')) },
    Encoding: { Type: 'Encoding', Differences: [65, 'a'] },
    Resources: {},
  }
}

/** These are large: a page has only those that it names. */
function namedFonts(context: PDFContext, content: string): Record<string, PDFRef> {
  const fonts = {
    ...Object.fromEntries(
      Object.entries(hostileFonts).map(([name, make]) => [name, () => embedFont(context, make())]),
    ),
    Down: () => downwards(context),
    Simple: () => simpleFont(context),
  }
  const named = Object.entries(fonts).filter(([name]) => content.includes(`/${name} `))
  return Object.fromEntries(named.map(([name, embed]) => [name, embed()]))
}

function bars(context: PDFContext): PDFRef {
  return context.register(
    context.stream('0 0 400 10 re f', {
      Type: 'Pattern',
      PatternType: 1,
      PaintType: 1,
      TilingType: 1,
      BBox: [0, 0, 400, 100],
      XStep: 400,
      YStep: 100,
      Resources: {},
    }),
  )
}

/** A font that writes downwards, far from where it is placed. */
function downwards(context: PDFContext): PDFRef {
  const font = embedFont(context, subsetFor([]))
  const dictionary = context.lookup(font, PDFDict)
  dictionary.set(PDFName.of('Encoding'), PDFName.of('Identity-V'))
  const fonts = dictionary.lookup(PDFName.of('DescendantFonts'), PDFArray)
  fonts.lookup(0, PDFDict).set(PDFName.of('DW2'), context.obj([20_000, -1000]))
  return font
}

/** The whole typeface, with one byte for each character and no widths. */
function simpleFont(context: PDFContext): PDFRef {
  const program = readFileSync(
    new URL(import.meta.resolve('@expo-google-fonts/noto-sans/400Regular/NotoSans_400Regular.ttf')),
  )
  const descriptor = context.obj({
    Type: 'FontDescriptor',
    FontName: 'NotoSans',
    Flags: 32,
    FontBBox: [0, 0, 1, 1],
    ItalicAngle: 0,
    Ascent: 1,
    Descent: 0,
    CapHeight: 1,
    StemV: 80,
    FontFile2: context.register(context.flateStream(program)),
  })
  return context.register(
    context.obj({
      Type: 'Font',
      Subtype: 'TrueType',
      BaseFont: 'NotoSans',
      Encoding: 'WinAnsiEncoding',
      FirstChar: 87,
      LastChar: 87,
      Widths: [0],
      FontDescriptor: context.register(descriptor),
    }),
  )
}
