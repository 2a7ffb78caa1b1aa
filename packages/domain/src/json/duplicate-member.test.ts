import fc from 'fast-check'
import { expect, test } from 'vitest'
import { countMembers, findDuplicateMember } from './duplicate-member.ts'

test.each([
  ['{"a":1,"a":1}', ['a']],
  ['{"a":{"b":[{},{"c":1,"d":{"c":2},"c":3}]}}', ['a', 'b', 1, 'c']],
  ['[[1,2],[{"x":1},{"x":1,"y":{"x":"x"},"x":null}]]', [1, 1, 'x']],
  [String.raw`{"caf\u00e9":1,"café":2}`, ['café']],
  ['{"__proto__":1,"__proto__":2}', ['__proto__']],
  [String.raw`{"a":"\"}","b":"\\","b":1}`, ['b']],
  ['{"":1,"":2}', ['']],
  ['{"a":"a","b":["a","a"],"c":{"a":1},"d":{"a":1}}', undefined],
])('the first repeated member of %s is %j', (json, path) => {
  expect(findDuplicateMember(json)).toEqual(path)
})

test('a text serialised from a value has no repeated member', () => {
  fc.assert(
    fc.property(fc.json({ stringUnit: 'binary' }), (json) => {
      const text = JSON.stringify(JSON.parse(json), null, 1)
      expect(findDuplicateMember(text)).toBeUndefined()
    }),
  )
})

test('members are counted at every depth', () => {
  expect(countMembers(JSON.parse('{"a":[{"b":1,"c":null},[{"d":{}}]],"__proto__":{"e":2}}'))).toBe(
    6,
  )
  expect([null, 1, 'a', [[1]]].map(countMembers)).toEqual([0, 0, 0, 0])
})
