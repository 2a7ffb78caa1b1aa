import { inflateSync } from 'node:zlib'
import { create, type Font } from '@cantoo/fontkit'
import { describe, expect, test } from 'vitest'
import { subsetFor } from './font-subset.ts'
import { notoSans } from './noto-sans.ts'

test('texts of one alphabet share one subset of the typeface', () => {
  expect(subsetFor(['Ann', 'Bath'])).toBe(subsetFor(['SA1 1AA']))
  expect(subsetFor(['Siôn'])).toBe(subsetFor(['Łódź']))
  expect(subsetFor(['Ann'])).not.toBe(subsetFor(['Siôn']))
})

test('different subsets have different names, and equal subsets equal names', () => {
  const names = [['Ann'], ['Siôn'], ['Київ'], ['Одеса'], ['Київ']].map(
    (texts) => subsetFor(texts).name,
  )
  expect(new Set(names).size).toBe(4)
  expect(names[2]).toBe(names[4])
  for (const name of names) expect(name).toMatch(/^[A-Z]{6}\+NotoSans-Regular$/)
})

describe('every glyph of a subset is the glyph of the typeface, at its width', () => {
  test.each([
    ['ascii', 'A'],
    ['latin', 'ŵ'],
    ['made for one letter', 'Київ Γ ễ'],
  ])('%s', (_, text) => {
    const { glyphs, widths, deflatedProgram } = subsetFor([text])
    const part = create(inflateSync(deflatedProgram)) as Font
    const whole = notoSans()

    for (const [character, { id, width }] of glyphs) {
      const glyph = whole.glyphForCodePoint(character.codePointAt(0)!)!
      expect(part.getGlyph(id)!.path.toSVG()).toBe(glyph.path.toSVG())
      expect([width, widths[id]]).toEqual([glyph.advanceWidth, glyph.advanceWidth])
    }
    expect(widths).toHaveLength(new Set([...glyphs.values()].map(({ id }) => id)).size + 1)
  })
})
