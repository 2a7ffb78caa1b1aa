import { expect, test } from 'vitest'
import { day, month, photograph, words } from './record-values.ts'

test.for<[text: string, fits: boolean]>([
  ['2024-02-29', true],
  ['2000-02-29', true],
  ['1999-12-31', true],
  ['2023-02-29', false],
  ['1900-02-29', false],
  ['2023-04-31', false],
  ['2023-13-01', false],
  ['2023-00-10', false],
  ['2023-01-00', false],
  ['2023-1-1', false],
  ['2023-01-01T00:00:00Z', false],
  ['1799-01-01', false],
  ['2200-01-01', false],
  ['', false],
])('day: %s is valid: %s', ([text, fits]) => {
  expect(day().safeParse(text).success).toBe(fits)
})

test.for<[text: string, fits: boolean]>([
  ['2023-12', true],
  ['2023-13', false],
  ['2023-00', false],
  ['2023-1', false],
  ['2023-12-01', false],
])('month: %s is valid: %s', ([text, fits]) => {
  expect(month().safeParse(text).success).toBe(fits)
})

test.for<[text: string, fits: boolean]>([
  ['x', true],
  ['O’H-Ü & 1', true],
  ['😀😀😀😀😀😀😀😀😀😀', true],
  ['x'.repeat(11), false],
  ['', false],
  [' x', false],
  ['x ', false],
  ['x\ty', false],
  ['x\ny', false],
  ['x\0y', false],
  ['\ud800', false],
])('words: %j is valid: %s', ([text, fits]) => {
  expect(words(10).safeParse(text).success).toBe(fits)
})

const jpegOf = (bytes: number) => {
  const image = Buffer.alloc(bytes)
  image.set([0xff, 0xd8, 0xff])
  return image.toString('base64')
}

test.for<[what: string, text: string, fits: boolean]>([
  ['a JPEG', jpegOf(1_000), true],
  ['the largest', jpegOf(65_536), true],
  ['one larger', jpegOf(65_539), false],
  ['a PNG', Buffer.from([0x89, 0x50, 0x4e, 0x47]).toString('base64'), false],
  ['base64 with line ends', `${jpegOf(3)}\n${jpegOf(3).slice(0, 3)}`, false],
  ['base64 that is cut off', jpegOf(4).slice(0, 7), false],
  ['base64 of URLs', `${jpegOf(3)}-_-_`, false],
  ['nothing', '', false],
])('photograph: %s', ([, text, fits]) => {
  expect(photograph.safeParse(text).success).toBe(fits)
})
