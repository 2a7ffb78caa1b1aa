import { type PDFContext, type PDFRef, PDFString } from 'pdf-lib'
import type { FontSubset } from './font-subset.ts'
import { notoSans } from './noto-sans.ts'

const nonSymbolic = 32
/** Stem width of the regular weight. A printer without the font program would use it to imitate the font. */
const stemV = 80

/** Registers a subset of the typeface in a document. The subset is already compressed and measured. */
export function embedFont(context: PDFContext, subset: FontSubset): PDFRef {
  const { name, widths, deflatedProgram, deflatedUnicodeMap } = subset
  const { ascent, descent, capHeight, xHeight, bbox } = notoSans()

  const program = context.register(context.stream(deflatedProgram, { Filter: 'FlateDecode' }))
  const descriptor = context.register(
    context.obj({
      Type: 'FontDescriptor',
      FontName: name,
      Flags: nonSymbolic,
      FontBBox: [bbox.minX, bbox.minY, bbox.maxX, bbox.maxY],
      ItalicAngle: 0,
      Ascent: ascent,
      Descent: descent,
      CapHeight: capHeight,
      XHeight: xHeight,
      StemV: stemV,
      FontFile2: program,
    }),
  )
  const cidFont = context.register(
    context.obj({
      Type: 'Font',
      Subtype: 'CIDFontType2',
      BaseFont: name,
      CIDSystemInfo: {
        Registry: PDFString.of('Adobe'),
        Ordering: PDFString.of('Identity'),
        Supplement: 0,
      },
      CIDToGIDMap: 'Identity',
      FontDescriptor: descriptor,
      W: [0, [...widths]],
    }),
  )
  return context.register(
    context.obj({
      Type: 'Font',
      Subtype: 'Type0',
      BaseFont: name,
      Encoding: 'Identity-H',
      DescendantFonts: [cidFont],
      ToUnicode: context.register(context.stream(deflatedUnicodeMap, { Filter: 'FlateDecode' })),
    }),
  )
}
