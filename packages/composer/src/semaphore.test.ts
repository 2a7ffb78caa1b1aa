import { expect, test } from 'vitest'
import { createSemaphore, SemaphoreFull } from './semaphore.ts'

test('works in as many places as there are, in the order of asking', async () => {
  const semaphore = createSemaphore({ permits: 2 })
  const begun: number[] = []
  const ends = new Map<number, () => void>()
  const work = (number: number) => () => {
    begun.push(number)
    return new Promise<number>((resolve) => ends.set(number, () => resolve(number)))
  }

  const all = [1, 2, 3, 4].map((number) => semaphore.use(work(number)))
  await Promise.resolve()
  expect(begun).toEqual([1, 2])
  ends.get(2)!()
  await all[1]
  await expect.poll(() => begun).toEqual([1, 2, 3])
  ends.get(1)!()
  await expect.poll(() => begun).toEqual([1, 2, 3, 4])
  ends.get(3)!()
  ends.get(4)!()

  expect(await Promise.all(all)).toEqual([1, 2, 3, 4])
})

test('refuses when too many wait, and frees the place of work that fails', async () => {
  const semaphore = createSemaphore({ permits: 1, waitingMax: 1 })
  const failing = semaphore.use(() => Promise.reject(new Error('no')))
  const waiting = semaphore.use(async () => 'done')

  await expect(semaphore.use(async () => 'never')).rejects.toThrow(SemaphoreFull)
  await expect(failing).rejects.toThrow('no')
  expect(await waiting).toBe('done')
})
