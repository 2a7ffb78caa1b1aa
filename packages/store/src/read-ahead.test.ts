import { expect, test, vi } from 'vitest'
import { readAhead } from './read-ahead.ts'

// what fails here mostly never ends
vi.setConfig({ testTimeout: 5_000 })

async function* counting(begun: number[], end: number): AsyncGenerator<number> {
  for (let value = 1; value <= end; value++) {
    begun.push(value)
    yield value
  }
}

test('only the next value is prepared while one is in use', async () => {
  const begun: number[] = []
  const seen: string[] = []

  for await (const value of readAhead(counting(begun, 3))) {
    await new Promise((resolve) => setImmediate(resolve))
    seen.push(`${value} of ${begun.join(' ')}`)
  }

  expect(seen).toEqual(['1 of 1 2', '2 of 1 2 3', '3 of 1 2 3'])
})

test('an error in preparing the next value is thrown when that value is requested', async () => {
  async function* failing(): AsyncGenerator<number> {
    yield 1
    throw new Error('no more')
  }
  const seen: number[] = []

  await expect(async () => {
    for await (const value of readAhead(failing())) seen.push(value)
  }).rejects.toThrow('no more')
  expect(seen).toEqual([1])
})

test('leaving the loop early closes the source', async () => {
  let isClosed = false
  async function* closing(): AsyncGenerator<number> {
    try {
      for (let value = 1; ; value++) yield value
    } finally {
      isClosed = true
    }
  }

  for await (const _ of readAhead(closing())) break

  expect(isClosed).toBe(true)
})

test('a source need not be closable', async () => {
  const values = [1, 2]
  const next = async (): Promise<IteratorResult<number>> =>
    values.length > 0 ? { value: values.shift()! } : { value: undefined, done: true }
  const seen: number[] = []

  for await (const value of readAhead({ [Symbol.asyncIterator]: () => ({ next }) }))
    seen.push(value)

  expect(seen).toEqual([1, 2])
})
