import { hash } from 'node:crypto'
import { deflateSync } from 'node:zlib'
import { notoSans } from './noto-sans.ts'

/** A subset of the typeface, ready to embed. Glyph ids and widths (1/1000 em) by character. */
export type FontSubset = {
  name: string
  glyphs: ReadonlyMap<string, { id: number; width: number }>
  /** Advance widths by glyph id, from 0. */
  widths: readonly number[]
  deflatedProgram: Uint8Array
  deflatedUnicodeMap: Uint8Array
}

const blocks = {
  ascii: [[0x20, 0x7e]],
  latin: [
    [0x20, 0x7e],
    [0xa1, 0xac],
    [0xae, 0x17f],
    [0x218, 0x21b],
    [0x1e80, 0x1e85],
    [0x1e9e, 0x1e9e],
    [0x1ef2, 0x1ef3],
    [0x2010, 0x2026],
    [0x2030, 0x203a],
    [0x20ac, 0x20ac],
    [0x2116, 0x2122],
  ],
} as const

const made = new Map<keyof typeof blocks, FontSubset>()

/**
 * Returns the smallest prepared subset of the typeface that prints the texts. The subsets for ASCII and for Latin
 * (western and central Europe with Welsh) are made once per process, because making one costs more than the rest of a
 * letter. Any other text gets its own subset. Equal characters return equal bytes.
 */
export function subsetFor(texts: readonly string[]): FontSubset {
  return (
    preparedSubsetFor(texts) ??
    makeSubset([...new Set(texts.join(''))].map((character) => character.codePointAt(0)!))
  )
}

/** As `subsetFor`, but returns undefined if the texts need their own subset. */
export function preparedSubsetFor(texts: readonly string[]): FontSubset | undefined {
  const characters = new Set(texts.join(''))
  for (const block of ['ascii', 'latin'] as const) {
    const subset = blockSubset(block)
    if ([...characters].every((character) => subset.glyphs.has(character))) return subset
  }
  return undefined
}

function blockSubset(block: keyof typeof blocks): FontSubset {
  const known = made.get(block)
  if (known) return known

  const subset = makeSubset(
    blocks[block].flatMap(([first, last]) =>
      Array.from({ length: last - first + 1 }, (_, index) => first + index),
    ),
  )
  made.set(block, subset)
  return subset
}

function makeSubset(wanted: readonly number[]): FontSubset {
  const font = notoSans()
  const codePoints = wanted
    .filter((codePoint) => font.hasGlyphForCodePoint(codePoint))
    .toSorted((a, b) => a - b)

  const program = font.createSubset()
  const glyphs = new Map<string, { id: number; width: number }>()
  const widths = [toThousandths(font.getGlyph(0)!.advanceWidth)]
  for (const codePoint of codePoints) {
    const glyph = font.glyphForCodePoint(codePoint)!
    const id = program.includeGlyph(glyph)
    const width = toThousandths(glyph.advanceWidth)
    glyphs.set(String.fromCodePoint(codePoint), { id, width })
    widths[id] = width
  }
  return {
    name: `${tagOf(codePoints)}+NotoSans-Regular`,
    glyphs,
    widths,
    deflatedProgram: deflateSync(program.encode(), { level: 9 }),
    deflatedUnicodeMap: deflateSync(unicodeMap(glyphs), { level: 9 }),
  }
}

function toThousandths(width: number): number {
  return Math.round((width * 1000) / notoSans().unitsPerEm)
}

/** PDF requires six capitals that differ between subsets. They are derived from the characters. */
function tagOf(codePoints: readonly number[]): string {
  const digest = hash('sha256', codePoints.join(), 'buffer')
  return String.fromCharCode(...digest.subarray(0, 6).map((byte) => 65 + (byte % 26)))
}

/** Returns the CMap from glyph ids to characters, which readers need to search and copy text. */
function unicodeMap(glyphs: FontSubset['glyphs']): string {
  const entries = [...glyphs].map(([character, { id }]) => `<${hex(id)}> <${utf16(character)}>`)
  const sections = Array.from({ length: Math.ceil(entries.length / 100) }, (_, index) => {
    const section = entries.slice(index * 100, index * 100 + 100)
    return `${section.length} beginbfchar\n${section.join('\n')}\nendbfchar`
  })
  return `/CIDInit /ProcSet findresource begin
12 dict begin
begincmap
/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def
/CMapName /Adobe-Identity-UCS def
/CMapType 2 def
1 begincodespacerange
<0000> <ffff>
endcodespacerange
${sections.join('\n')}
endcmap
CMapName currentdict /CMap defineresource pop
end
end`
}

function utf16(character: string): string {
  return Array.from({ length: character.length }, (_, index) =>
    hex(character.charCodeAt(index)),
  ).join('')
}

function hex(code: number): string {
  return code.toString(16).padStart(4, '0')
}
