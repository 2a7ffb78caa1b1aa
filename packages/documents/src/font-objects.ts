import type { FontSubset } from './font-subset.ts'
import { notoSans } from './noto-sans.ts'

/** Object numbers of an embedded font. A page names `font`. */
type FontNumbers = Record<'program' | 'descriptor' | 'cidFont' | 'unicodeMap' | 'font', number>

/** An object of a PDF: a dictionary as it is written and, for a stream, its bytes. */
export type PdfObject = { number: number; dictionary: string; stream?: Uint8Array }

const nonSymbolic = 32
/** Stem width of the regular weight. A printer without the font program would use it to imitate the font. */
const stemV = 80

/** Returns the objects that embed a subset of the typeface. The subset is already compressed and measured. */
export function fontObjects(subset: FontSubset, numbers: FontNumbers): PdfObject[] {
  const { name, widths, deflatedProgram, deflatedUnicodeMap } = subset
  const { ascent, descent, capHeight, xHeight, bbox } = notoSans()
  const box = [bbox.minX, bbox.minY, bbox.maxX, bbox.maxY].join(' ')
  const system = '/Registry (Adobe) /Ordering (Identity) /Supplement 0'
  return [
    streamObject(numbers.program, deflatedProgram),
    {
      number: numbers.descriptor,
      dictionary:
        `<< /Type /FontDescriptor /FontName /${name} /Flags ${nonSymbolic} /FontBBox [ ${box} ] /ItalicAngle 0 ` +
        `/Ascent ${ascent} /Descent ${descent} /CapHeight ${capHeight} /XHeight ${xHeight} /StemV ${stemV} ` +
        `/FontFile2 ${numbers.program} 0 R >>`,
    },
    {
      number: numbers.cidFont,
      dictionary:
        `<< /Type /Font /Subtype /CIDFontType2 /BaseFont /${name} /CIDSystemInfo << ${system} >> ` +
        `/CIDToGIDMap /Identity /FontDescriptor ${numbers.descriptor} 0 R /W [ 0 [ ${widths.join(' ')} ] ] >>`,
    },
    streamObject(numbers.unicodeMap, deflatedUnicodeMap),
    {
      number: numbers.font,
      dictionary:
        `<< /Type /Font /Subtype /Type0 /BaseFont /${name} /Encoding /Identity-H ` +
        `/DescendantFonts [ ${numbers.cidFont} 0 R ] /ToUnicode ${numbers.unicodeMap} 0 R >>`,
    },
  ]
}

function streamObject(number: number, stream: Uint8Array): PdfObject {
  return { number, dictionary: `<< /Filter /FlateDecode /Length ${stream.length} >>`, stream }
}
