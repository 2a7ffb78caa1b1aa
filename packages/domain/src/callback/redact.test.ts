import { expect, test } from 'vitest'
import { redactAnswer } from './redact.ts'

const redact = (answer: string, secrets: string[]) =>
  Buffer.from(redactAnswer(Buffer.from(answer), secrets)).toString()

const answers: [answer: string, secrets: string[], kept: string][] = [
  ['{"ok":true}', ['Bearer abc123'], '{"ok":true}'],
  ['', ['Bearer abc123'], ''],
  ['no secrets given', [], 'no secrets given'],
  ['unknown: Bearer abc123, sorry', ['Bearer abc123'], 'unknown: ********, sorry'],
  ['abc123 abc123', ['abc123'], '******** ********'],
  ['unknown key abc123!', ['Bearer abc123'], 'unknown key ********!'],
  ['unknown key abc123!', ['Bearer   abc123'], 'unknown key ********!'],
  ['unknown key abc123!', [' abc123 '], 'unknown key ********!'],
  ['unknown key abc\n123!', ['Bearer abc\n123'], 'unknown key ********!'],
  ['{"key":"a\\"b\\\\c"}', ['a"b\\c'], '{"key":"********"}'],
  ['{"key":"a\\/b/c"}', ['a/b/c'], '{"key":"a\\/b/c"}'],
  ['{"key":"a\\/b\\/c"}', ['a/b/c'], '{"key":"********"}'],
  ['?key=a%2Fb%3D%3D.', ['a/b=='], '?key=********.'],
  ['clé secrète.', ['clé secrète'], '********.'],
  ['abcdef abcd', ['abcd', 'abcdef'], '******** ********'],
  ['a secret of three: abc', ['abc'], 'a secret of three: abc'],
  ['a secret of four bytes: éé.', ['éé'], 'a secret of four bytes: ********.'],
  ['cut off in the middle: abcd', ['abcdefgh'], 'cut off in the middle: ********'],
  ['too little to tell: abc', ['abcdefgh'], 'too little to tell: abc'],
  ['$& and $1: abcd$&.', ['abcd$&'], '$& and $1: ********.'],
]

test.for(answers)('the answer %j to a call with %j is stored as %j', ([answer, secrets, kept]) => {
  expect(redact(answer, secrets)).toBe(kept)
})

test('keeps every other byte unchanged, text or not', () => {
  const noText = Uint8Array.from({ length: 256 }, (_, byte) => byte)
  const secret = Buffer.from('abc123')

  expect(redactAnswer(Buffer.concat([noText, secret, noText]), ['abc123'])).toEqual(
    new Uint8Array(Buffer.concat([noText, Buffer.from('********'), noText])),
  )
})

test('accepts a secret with half a surrogate pair', () => {
  expect(redact('fine', ['abc\ud800def'])).toBe('fine')
})
