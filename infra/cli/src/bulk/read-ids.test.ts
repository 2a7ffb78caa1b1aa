import { describe, expect, test } from 'vitest'
import { chooseIds, parseIds } from './read-ids.ts'

test('a file has an id in each line; empty lines and those with # do not count', () => {
  expect(parseIds('# late\r\none\r\n\n  two  \n#three\n')).toEqual(['one', 'two'])
})

describe('what is chosen', () => {
  test('each id once, with the number of repetitions', () => {
    expect(chooseIds(['one', 'two', 'one', 'one'])).toEqual({ ids: ['one', 'two'], repeated: 2 })
  })

  test.each([
    [0, 'no print jobs given'],
    [1_001, '1001 print jobs given; the maximum is 1000'],
  ])('%d are refused', (count, message) => {
    const ids = Array.from({ length: count }, (_, place) => `id ${place}`)

    expect(() => chooseIds(ids)).toThrow(message)
  })
})
