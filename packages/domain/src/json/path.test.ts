import { expect, test } from 'vitest'
import { renderOwnPath, renderPath } from './path.ts'

test.each([
  [[], 'body'],
  [['a', 'b'], 'a.b'],
  [['a', 1, 'b', 0, 2], 'a[1].b[0][2]'],
  [['', 'a'], 'a'],
  [['a.b', 'c', 'd[0]'], '["a.b"].c["d[0]"]'],
])('the path %j is %s', (path, rendered) => {
  expect(renderPath(path)).toBe(rendered)
})

test.each([
  [['a', 1, 'é😀'], 'a[1].é😀'],
  [['x'.repeat(100)], 'x'.repeat(100)],
  [['😀'.repeat(101)], `${'😀'.repeat(99)}…`],
  [['x'.repeat(1_000_000)], `${'x'.repeat(99)}…`],
  [['a\0b\r\nc'], 'a\ufffdb\ufffd\ufffdc'],
  [['a\ud800'], 'a\ufffd'],
  [['a\u202eb\u2028'], 'a\ufffdb\ufffd'],
])('a path that a caller chose can be shown and stored (%#)', (path, rendered) => {
  expect(renderOwnPath(path)).toBe(rendered)
})
