import { expect, test } from 'vitest'
import { updatePdf, writePdf } from '../../test/write-pdf.ts'
import { withDirectLengths } from './direct-lengths.ts'

const data = 'BT (stream) Tj ET'
const withLength = (length: string, objects: Record<number, string> = {}, content = data) =>
  writePdf({ content: { data: content, length }, objects: { 10: '17', ...objects } })
const textOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1')

test('replaces the reference to the length of a stream with the length', () => {
  const pdf = withLength('10 0 R')

  expect(textOf(withDirectLengths(pdf))).toBe(
    textOf(pdf).replace('/Length 10 0 R>>', '/Length 17    >>'),
  )
})

test('replaces the reference even if the stream contains the word endstream', () => {
  const pdf = withLength('10 0 R', { 10: '20' }, '% not the endstream ')

  expect(textOf(withDirectLengths(pdf))).toContain('/Length 20    >>')
})

test.each([
  ['a stream without the word', withLength('10 0 R', {}, 'BT (a text) Tj ET')],
  ['a stream with a length of its own', withLength('17')],
  ['a length that is not that of the stream', withLength('10 0 R', { 10: '12' })],
  ['a length that is not a number', withLength('10 0 R', { 10: '(17)' })],
  ['a length that is missing', withLength('11 0 R')],
  ['a length that an update replaces', updatePdf(withLength('10 0 R'), { objects: { 10: '17' } })],
  ['a length that is longer than its reference', long()],
])('leaves %s unchanged', (_, pdf) => {
  expect(withDirectLengths(pdf)).toBe(pdf)
})

function long(): Uint8Array {
  const text = `(stream)${' '.repeat(100_000)}`
  return writePdf({ content: { data: text, length: '9 0 R' }, objects: { 9: `${text.length}` } })
}
