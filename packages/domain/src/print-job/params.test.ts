import { expect, test } from 'vitest'
import { otherParams } from './params.ts'

test('params without a label of their own are shown by the words of their names', () => {
  expect(otherParams({ jobType: 'LETTER', costCentre: '7', priority: null })).toEqual({
    'cost centre': '7',
  })
  expect(otherParams(undefined)).toEqual({})
})
