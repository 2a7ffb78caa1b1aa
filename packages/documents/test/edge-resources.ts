import { deflateSync } from 'node:zlib'
import { PDFArray, type PDFContext, PDFDict, PDFName, type PDFRef } from 'pdf-lib'
import { embedFont } from '../src/embed-font.ts'
import { subsetFor } from '../src/font-subset.ts'

/** Returns the fonts, images, forms, graphics states, shadings and patterns that edge pages name. */
export function edgeResources(context: PDFContext) {
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
    Pattern: {
      Bars: context.register(
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
      ),
    },
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
