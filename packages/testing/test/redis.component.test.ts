import { askRedis, startRedis } from '@despatch/testing/redis'
import { expect, onTestFinished, test } from 'vitest'

test('a Redis does not load the snapshot that an earlier one saved', async ({ skip }) => {
  const earlier = await startRedis()
  if (!earlier) return skip('There is no redis-server')
  await askRedis(earlier.url, 'SET name value')
  expect(await askRedis(earlier.url, 'SAVE')).toBe('+OK')
  await earlier.stop()

  const later = await startRedis()
  onTestFinished(() => later?.stop())

  expect(await askRedis(later!.url, 'EXISTS name')).toBe(':0')
})
