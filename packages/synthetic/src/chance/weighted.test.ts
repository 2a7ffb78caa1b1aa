import { expect, test } from 'vitest'
import { createRandom } from './random.ts'
import { createWeighted } from './weighted.ts'

test('draws by weight', () => {
  const random = createRandom(1).at(0)
  const draw = createWeighted([
    [70, 'often'],
    [30, 'sometimes'],
    [0, 'never'],
  ])
  const counts = { often: 0, sometimes: 0, never: 0 }

  for (let n = 0; n < 10_000; n++) counts[draw(random) as keyof typeof counts]++

  expect(counts.never).toBe(0)
  expect(counts.often).toBeGreaterThan(6800)
  expect(counts.often).toBeLessThan(7200)
})

test.for([[[]], [[[0, 'a']]], [[[0.5, 'a']]], [[[1_000_000, 'a']]]] as [[number, string][]][])(
  'refuses the weights of %j',
  ([entries]) => {
    expect(() => createWeighted(entries)).toThrow('weights add up to')
  },
)
