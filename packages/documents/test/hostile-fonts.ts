import { deflateSync, inflateSync } from 'node:zlib'
import { type FontSubset, subsetFor } from '../src/font-subset.ts'

/** The distance from the middle of a page to its edge at 10 points, in units of the typeface: 1000 to an em. */
const far = 28_000
const triangle = [...[far, 0], ...[500, 700], ...[500, -700]] as const

/** Makes the typeface with another outline for W. What it states about widths and boxes stays as it is, or is less. */
export const hostileFonts = {
  /** Its points are far to the right of its stated box. */
  FarRight: () => withGlyph(simpleGlyph(triangle)),
  FarLeft: () => withGlyph(simpleGlyph([-far, 0, -500, 700, -500, -700])),
  FarUp: () => withGlyph(simpleGlyph([0, far, 500, 700, 500, -700])),
  /** Another glyph, moved. */
  Composite: () => withGlyph(compositeGlyph()),
  /** Every glyph is 62 times as large. */
  FewUnits: () => changed((program) => program.writeUInt16BE(16, tableOf(program, 'head') + 18)),
  /** Its instructions move a point up. */
  Instructed: () => withGlyph(simpleGlyph([0, 0, 500, 700, 500, -700], moveFirstPointUp)),
  InstructedComposite: () => withGlyph(compositeGlyph(hasInstructions)),
  /** An instruction for all glyphs. */
  Prepared: () =>
    changed((program) => program.writeUInt8(setsCoordinate, tableOf(program, 'prep'))),
  /** It states more glyphs than it has. */
  ManyGlyphs: () =>
    changed((program) => program.writeUInt16BE(0xffff, tableOf(program, 'maxp') + 4)),
  /** It ends within its outlines. */
  Cut: () => withProgram((program) => program.subarray(0, 4000)),
  /** Its name makes FreeType treat it differently, and it states a low height. */
  Named: () =>
    withProgram((program, { glyphs }) => {
      program.writeInt16BE(100, tableOf(program, 'hhea') + 4)
      program.writeInt16BE(-10, tableOf(program, 'hhea') + 6)
      const glyph = simpleGlyph([0, far, 500, 700, 500, -700])
      glyph.copy(program, glyphAt(program, glyphs.get('W')!.id))
      return withTable(program, 'name', nameTable('MingLiU'))
    }),
  /** The directory names a table twice. */
  TwoTables: () => changed((program) => program.copy(program, 12, 28, 32)),
} as const satisfies Record<string, () => FontSubset>

export type HostileFont = keyof typeof hostileFonts

const setsCoordinate = 0x48
/** Movement along y, then the number of the point and its new coordinate: 8 ems. */
const moveFirstPointUp = [0x00, 0xb9, 0, 0, 0x7f, 0xff, setsCoordinate]
const hasInstructions = 0x0100

function withGlyph(glyph: Buffer): FontSubset {
  return changed((program, id) => glyph.copy(program, glyphAt(program, id)))
}

function glyphAt(program: Buffer, id: number): number {
  const isLong = program.readInt16BE(tableOf(program, 'head') + 50) === 1
  const locations = tableOf(program, 'loca')
  const offset = isLong
    ? program.readUInt32BE(locations + 4 * id)
    : 2 * program.readUInt16BE(locations + 2 * id)
  return tableOf(program, 'glyf') + offset
}

/** Adds a table. The others move by the length of its entry in the directory. */
function withTable(program: Buffer, name: string, table: Buffer): Buffer {
  const count = program.readUInt16BE(4)
  const end = 12 + 16 * count
  const directory = Buffer.alloc(end + 16)
  program.copy(directory, 0, 0, end)
  directory.writeUInt16BE(count + 1, 4)
  for (let at = 12; at < end; at += 16) {
    directory.writeUInt32BE(directory.readUInt32BE(at + 8) + 16, at + 8)
  }
  directory.write(name, end, 'latin1')
  directory.writeUInt32BE(program.length + 16, end + 8)
  directory.writeUInt32BE(table.length, end + 12)
  return Buffer.concat([directory, program.subarray(end), table])
}

/** The family's name, in English for Windows. */
function nameTable(family: string): Buffer {
  const text = Buffer.from(family, 'utf16le').swap16()
  const header = [0, 1, 18, 3, 1, 0x0409, 1, text.length, 0]
  return Buffer.concat([Buffer.from(header.flatMap((value) => [value >> 8, value & 0xff])), text])
}

function changed(change: (program: Buffer, wide: number) => void): FontSubset {
  return withProgram((program, { glyphs }) => {
    change(program, glyphs.get('W')!.id)
    return program
  })
}

function withProgram(change: (program: Buffer, subset: FontSubset) => Buffer): FontSubset {
  const subset = subsetFor([])
  const program = change(inflateSync(subset.deflatedProgram), subset)
  return { ...subset, deflatedProgram: deflateSync(program) }
}

function tableOf(program: Buffer, name: string): number {
  const tables = program.readUInt16BE(4)
  for (let at = 12; at < 12 + 16 * tables; at += 16) {
    if (program.toString('latin1', at, at + 4) === name) return program.readUInt32BE(at + 8)
  }
  throw new Error(`The typeface has no table ${name}`)
}

/** A triangle in an empty box. Each point is relative to the one before it. */
function simpleGlyph(points: readonly number[], instructions: readonly number[] = []): Buffer {
  const words = (values: readonly number[]) =>
    values.flatMap((value) => [(value >> 8) & 0xff, value & 0xff])
  const onCurve = 1
  return Buffer.from([
    ...words([1, 0, 0, 0, 0, 2, instructions.length]),
    ...instructions,
    ...[onCurve, onCurve, onCurve],
    ...words(points.filter((_, index) => index % 2 === 0)),
    ...words(points.filter((_, index) => index % 2 === 1)),
  ])
}

/** The glyph of A, far to the right, in an empty box. */
function compositeGlyph(flags = 0): Buffer {
  const glyph = Buffer.alloc(18)
  const wordsThatMove = 0x0003
  glyph.writeInt16BE(-1, 0)
  glyph.writeUInt16BE(wordsThatMove | flags, 10)
  glyph.writeUInt16BE(subsetFor([]).glyphs.get('A')!.id, 12)
  glyph.writeInt16BE(far, 14)
  return glyph
}
