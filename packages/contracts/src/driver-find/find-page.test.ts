import { expect, test } from 'vitest'
import { pageOf, pageText } from './find-page.ts'

test('limit and offset each come from the first source that has the value', () => {
  const body = { limit: 3, offset: 33 }
  expect([
    pageOf([{ limit: 1 }, { limit: 2, offset: 22 }, body]),
    pageOf([{}, { limit: 2 }, body]),
    pageOf([{}, {}, {}, { limit: 4, offset: 44 }]),
    pageOf([{ offset: 0 }, { offset: 5 }]),
    pageOf([]),
  ]).toEqual([
    { limit: 1, offset: 22 },
    { limit: 2, offset: 33 },
    { limit: 4, offset: 44 },
    { limit: 20, offset: 0 },
    { limit: 20, offset: 0 },
  ])
})

test.for([
  ['limit', '1', 1],
  ['limit', '50', 50],
  ['offset', '0', 0],
  ['offset', '49', 49],
] as const)('accepts %s %s', ([name, given, taken]) => {
  expect(pageText('request header').parse({ [name]: given })).toEqual({ [name]: taken })
})

test.for([
  ['limit', '0'],
  ['limit', '51'],
  ['limit', ''],
  ['limit', '-1'],
  ['limit', '1e1'],
  ['limit', '5, 6'],
  ['limit', ['5', '6']],
  ['offset', '50'],
  ['offset', ' 1'],
  ['offset', '1.0'],
] as const)('refuses %s %j and names its source', ([name, given]) => {
  const issues = pageText('request header').safeParse({ [name]: given }).error?.issues
  const least = name === 'limit' ? 'from 1 to 50' : 'from 0 to 49'
  expect(issues?.map(({ path, message }) => [path, message])).toEqual([
    [[name], `request header: a whole number ${least}`],
  ])
})
