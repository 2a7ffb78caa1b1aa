import { expect, test } from 'vitest'
import { renderCount } from './figures.ts'

test('counts have separated thousands', () => {
  expect([0, 999, 1_000, 1_234_567].map(renderCount)).toEqual(['0', '999', '1,000', '1,234,567'])
})
