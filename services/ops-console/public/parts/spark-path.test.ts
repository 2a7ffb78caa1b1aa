import { expect, test } from 'vitest'
import { sparkPath } from './spark-path.ts'

test.for([
  [[1, 0.5, 0], 'M2 2L48 10L94 18'],
  [[1, 1, null, 0, 0], 'M2 2L25 2M71 18L94 18'],
  [[null, 0.5, null], 'M47 10h2'],
  [[null, null, 1], 'M93 2h2'],
  [[null, null, null], ''],
] as const)('shares of %j are drawn as %s', ([shares, path]) => {
  expect(sparkPath(shares)).toBe(path)
})
