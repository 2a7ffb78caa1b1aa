import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createLiveStreams } from './live-streams.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

function someStreams({ streamsMax = 10, fails = false, bytes = 0 } = {}) {
  let reads = 0
  const admitted: number[] = []
  const streams = createLiveStreams({
    read: async () => {
      reads += 1
      if (fails) throw new Error('away')
      return { reads, ...(bytes > 0 && { ballast: 'x'.repeat(bytes) }) }
    },
    admit: async (readers: readonly (() => Promise<boolean>)[]) => {
      admitted.push(readers.length)
      return Promise.all(readers.map((reader) => reader()))
    },
    everyMs: 1_000,
    streamsMax,
    admitEveryMs: 5_000,
  })
  return { ...streams, admitted, readCount: () => reads }
}

const always = async () => true
const facts = (reads: number) => `event: facts\ndata: {"reads":${reads}}\n\n`

test('reads once a second for all who look', async () => {
  const { open, close } = someStreams()
  const first = open(always)!
  await vi.advanceTimersByTimeAsync(0)
  const second = open(always)!
  await vi.advanceTimersByTimeAsync(2_000)
  close()

  const expected = `retry: 2000\n\n${facts(1)}${facts(2)}${facts(3)}`
  expect(await Promise.all([text(first), text(second)])).toEqual([expected, expected])
})

test('reads nothing without viewers, and shows fresh data to the next viewer', async () => {
  const { open, close, readCount } = someStreams()
  const stream = open(always)!
  await vi.advanceTimersByTimeAsync(1_500)
  stream.destroy()
  await vi.advanceTimersByTimeAsync(60_000)
  const before = readCount()
  const again = open(always)!
  await vi.advanceTimersByTimeAsync(0)
  close()

  expect(before).toBe(2)
  expect(await text(again)).toBe(`retry: 2000\n\n${facts(3)}`)
})

test('sends nothing while nothing can be read, and then continues', async () => {
  const { open, close, readCount } = someStreams({ fails: true })
  const stream = open(always)!
  await vi.advanceTimersByTimeAsync(2_000)
  close()

  expect([await text(stream), readCount()]).toEqual(['retry: 2000\n\n', 3])
})

test('signs a reader out and ends the stream; an unknown session state ends nothing', async () => {
  const { open, close } = someStreams()
  const answers = [async () => Promise.reject(new Error('away')), always, async () => false]
  const told = text(open(async () => answers.shift()!())!)
  const other = open(always)!
  await vi.advanceTimersByTimeAsync(15_500)
  const stays = !other.readableEnded && other.readable
  close()

  expect(await told).toMatch(/event: signed-out\ndata: \{\}\n\n$/)
  expect(await told).toContain(facts(15))
  expect(stays).toBe(true)
})

test('checks all readers at once, and none while there are none', async () => {
  const { open, close, admitted } = someStreams()
  const readers = [open(always)!, open(always)!, open(always)!]
  await vi.advanceTimersByTimeAsync(10_500)
  for (const reader of readers) reader.destroy()
  await vi.advanceTimersByTimeAsync(60_000)
  close()

  expect(admitted).toEqual([3, 3])
})

test('refuses more readers than it has room for, until one has left', async () => {
  const { open } = someStreams({ streamsMax: 1 })
  const stream = open(always)!
  const refused = open(always)
  stream.destroy()
  await vi.advanceTimersByTimeAsync(0)

  expect([refused, open(always) === undefined]).toEqual([undefined, false])
})

test('a reader that reads nothing delays no other, and misses what does not fit', async () => {
  const { open, close } = someStreams({ bytes: 100_000 })
  const idle = open(always)!
  const told = text(open(always)!)
  await vi.advanceTimersByTimeAsync(20_500)
  close()

  expect((await told).match(/event: facts/g)).toHaveLength(21)
  expect((await text(idle)).match(/event: facts/g)!.length).toBeLessThan(3)
})
