import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { inflateSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { type HostileFont, hostileFonts } from '../../test/hostile-fonts.ts'
import { subsetFor } from '../font-subset.ts'
import { movesGlyphs } from './moves-glyphs.ts'

const programOf = (font: HostileFont) => inflateSync(hostileFonts[font]().deflatedProgram)
const typeface = createRequire(import.meta.url).resolve(
  '@expo-google-fonts/noto-sans/400Regular/NotoSans_400Regular.ttf',
)

test.for([
  ['a part of the typeface', inflateSync(subsetFor([]).deflatedProgram)],
  ['a font with false boxes', programOf('FarRight')],
  ['a font with a glyph of another glyph', programOf('Composite')],
] as const)('%s has no instructions that move a glyph', ([, program]) => {
  expect(movesGlyphs(program)).toBe(false)
})

test.for([
  ['of a glyph', programOf('Instructed')],
  ['of a glyph of another glyph', programOf('InstructedComposite')],
  ['before all glyphs', programOf('Prepared')],
] as const)('instructions %s may move a glyph', ([, program]) => {
  expect(movesGlyphs(program)).toBe(true)
})

test.for([
  ['an empty program', Buffer.alloc(0)],
  ['another kind of program', Buffer.from('%!PS-AdobeFont-1.0: Another')],
  ['a program that ends early', programOf('Cut')],
  ['a program with fewer glyphs than it states', programOf('ManyGlyphs')],
  ['a program with a table twice', programOf('TwoTables')],
  ['a program with a name that FreeType knows', programOf('Named')],
  ['a program with a name, such as the whole typeface', readFileSync(typeface)],
] as const)('%s may move a glyph', ([, program]) => {
  expect(movesGlyphs(program)).toBe(true)
})
