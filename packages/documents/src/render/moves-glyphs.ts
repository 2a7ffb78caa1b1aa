const trueTypeVersions: readonly number[] = [0x0001_0000, 0x7472_7565]
const hasInstructions = 0x0100
const moreComponents = 0x0020
const wordArguments = 0x0001
const scale = 0x0008
const twoScales = 0x0040
const matrix = 0x0080

/**
 * `fpgm` and `cvt ` are for instructions. FreeType treats fonts of some names differently, and then PDFium encloses
 * their glyphs by what the font states.
 */
const doubtfulTables: readonly string[] = ['fpgm', 'cvt ', 'name']

/** Instructions that only state how a glyph becomes pixels: pushes, SCANCTRL and SCANTYPE. */
const scanOnly = { pushBytes: 0xb0, pushWords: 0xb8, scanControl: 0x85, scanType: 0x8d } as const

/**
 * Returns whether a font program may move the points of its outlines when it is painted. A TrueType font may do so by
 * instructions; one without instructions does not. Returns true for every other kind of program, for one with a name,
 * and for one that is damaged.
 */
export function movesGlyphs(program: Buffer): boolean {
  try {
    return !isStill(program)
  } catch (error) {
    // A number lies beyond the end of the program.
    if (error instanceof RangeError) return true
    throw error
  }
}

function isStill(program: Buffer): boolean {
  if (!trueTypeVersions.includes(program.readUInt32BE(0))) return false
  const tables = readTables(program)
  const { head, maxp, loca, glyf, prep } = Object.fromEntries(tables ?? [])
  if (!tables || !head || !maxp || !loca || !glyf) return false
  if (doubtfulTables.some((name) => tables.has(name))) return false
  if (prep && !onlyScans(prep)) return false

  const isLong = head.readInt16BE(50) !== 0
  const locate = (glyph: number) =>
    isLong ? loca.readUInt32BE(4 * glyph) : 2 * loca.readUInt16BE(2 * glyph)
  const glyphs = maxp.readUInt16BE(4)
  for (let glyph = 0; glyph < glyphs; glyph++) {
    const [start, end] = [locate(glyph), locate(glyph + 1)]
    if (end < start || end > glyf.length) return false
    if (end > start && isInstructed(glyf.subarray(start, end))) return false
  }
  return true
}

/** Returns undefined if a table is there twice or lies outside, because then two readers may differ. */
function readTables(program: Buffer): Map<string, Buffer> | undefined {
  const tables = new Map<string, Buffer>()
  const count = program.readUInt16BE(4)
  for (let index = 0; index < count; index++) {
    const at = 12 + 16 * index
    const name = program.toString('latin1', at, at + 4)
    const [start, length] = [program.readUInt32BE(at + 8), program.readUInt32BE(at + 12)]
    if (tables.has(name) || start + length > program.length) return undefined
    tables.set(name, program.subarray(start, start + length))
  }
  return tables
}

function onlyScans(instructions: Buffer): boolean {
  let at = 0
  while (at < instructions.length) {
    const code = instructions[at]!
    at += 1
    if (code >= scanOnly.pushBytes && code < scanOnly.pushBytes + 8) {
      at += code - scanOnly.pushBytes + 1
    } else if (code >= scanOnly.pushWords && code < scanOnly.pushWords + 8) {
      at += 2 * (code - scanOnly.pushWords + 1)
    } else if (code !== scanOnly.scanControl && code !== scanOnly.scanType) {
      return false
    }
  }
  return true
}

function isInstructed(glyph: Buffer): boolean {
  const contours = glyph.readInt16BE(0)
  if (contours >= 0) return glyph.readUInt16BE(10 + 2 * contours) > 0
  let at = 10
  for (;;) {
    const flags = glyph.readUInt16BE(at)
    if (flags & hasInstructions) return true
    if (!(flags & moreComponents)) return false
    at += 4 + (flags & wordArguments ? 4 : 2)
    if (flags & scale) at += 2
    else if (flags & twoScales) at += 4
    else if (flags & matrix) at += 8
  }
}
