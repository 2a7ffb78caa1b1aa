import { expect, test } from 'vitest'
import { findPasswordFaults, sameAsCurrentFault } from './password-policy.ts'

const length = 'must have 8 to 128 characters'
const ascii = 'must consist of printable ASCII characters'
const lower = 'must have a lower-case letter'
const upper = 'must have an upper-case letter'
const digit = 'must have a digit'
const special = 'must have a special character'

test.for<[name: string, password: string, faults: string[]]>([
  ['eight characters of all four kinds', 'aA1!aaaa', []],
  ['seven', 'aA1!aaa', [length]],
  ['128', `aA1!${'a'.repeat(124)}`, []],
  ['129', `aA1!${'a'.repeat(125)}`, [length]],
  ['every punctuation mark', 'aA1!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~', []],
  ['spaces inside and at the ends', ' correct Horse 1! ', []],
  ['a space is no special character', 'correct Horse 1', [special]],
  ['no lower-case letter', 'AAAA111!', [lower]],
  ['no upper-case letter', 'aaaa111!', [upper]],
  ['no digit', 'aaaaAAA!', [digit]],
  ['no special character', 'aaaaAAA1', [special]],
  ['a letter beyond ASCII', 'aA1!aaaé', [ascii]],
  ['a full-width digit is no digit', 'aA１!aaaa', [ascii, digit]],
  ['a control character', 'aA1!aaa\n', [ascii]],
  ['nothing', '', [length, lower, upper, digit, special]],
])('%s', ([, password, faults]) => {
  expect(findPasswordFaults(password).map(({ rule }) => rule)).toEqual(faults)
})

test.for([...'!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~'])('%s is a special character', (character) => {
  expect(findPasswordFaults(`aaaaAAA1${character}`)).toEqual([])
})

test('the code of a wrong length is Size, of any other fault Pattern', () => {
  const codes = [...findPasswordFaults('é'), sameAsCurrentFault].map(({ code }) => code)

  expect(codes).toEqual(['Size', ...Array.from({ length: 6 }, () => 'Pattern')])
})
