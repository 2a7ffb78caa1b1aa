import { expect, test } from 'vitest'
import { Failure } from '../failure.ts'
import type { ConsumerSession } from '../session.ts'
import { followCallbacks } from './follow-callbacks.ts'

type Entry = { callbackId: string; replays: number; createdAt: string }

const entry = (number: number): Entry => ({
  callbackId: `c${number}`,
  replays: 0,
  createdAt: new Date(number).toISOString(),
})
const entries = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => entry(to - 1 - index))

/** Follows a list, newest first, that each look changes. Ends after the last look. */
async function follow(
  looks: ((list: Entry[]) => Entry[] | Failure)[],
  replay = 0,
  refused: Readonly<Record<string, Failure>> = {},
) {
  const stopping = new AbortController()
  const [reported, failures, leftOut]: [string[], unknown[], string[]] = [[], [], []]
  let list: Entry[] = []
  const send = async (_method: string, path: string) => {
    const { pathname, searchParams } = new URL(path, 'http://a.example')
    if (pathname !== '/callbacks') {
      const callbackId = pathname.slice('/callbacks/'.length)
      if (refused[callbackId]) throw refused[callbackId]
      return { callbackId }
    }
    const cursor = searchParams.get('cursor')
    if (cursor === null) {
      const look = looks.shift()
      if (!look) stopping.abort()
      const changed = look?.(list) ?? list
      if (changed instanceof Failure) throw changed
      list = changed
    }
    const from = Number(cursor)
    const nextCursor = from + 100 < list.length ? String(from + 100) : undefined
    return { callbacks: list.slice(from, from + 100), nextCursor }
  }
  await followCallbacks({ send } as unknown as ConsumerSession, {
    replay,
    pollMs: 0,
    signal: stopping.signal,
    report: async ({ callbackId }) => void reported.push(callbackId),
    onFailure: (error) => failures.push(error),
    onLeftOut: ({ message }) => leftOut.push(message),
  })
  return { reported, failures, leftOut }
}

test('callbacks are reported once, oldest first, also more than a page of them', async () => {
  const more = entries(101, 351)

  const { reported } = await follow([
    () => entries(0, 101),
    (list) => [...more, ...list],
    (list) => list,
  ])

  expect(reported).toEqual(more.map(({ callbackId }) => callbackId).reverse())
})

test('the last ones come first on request, and one that is sent again comes again', async () => {
  const { reported } = await follow(
    [
      () => entries(0, 5),
      (list) => list.map((each, place) => (place % 4 === 0 ? { ...each, replays: 1 } : each)),
    ],
    2,
  )

  expect(reported).toEqual(['c3', 'c4', 'c0', 'c4'])
})

test('older ones that come into view are not new', async () => {
  const { reported } = await follow([() => entries(0, 150), (list) => list.slice(10)])

  expect(reported).toEqual([])
})

test('after a look that failed, nothing is left out', async () => {
  const failure = new Failure('no response', { exitCode: 1 })

  const { reported, failures } = await follow([() => [], () => failure, () => entries(0, 2)])

  expect({ reported, failures }).toEqual({ reported: ['c0', 'c1'], failures: [failure] })
})

test('one that is refused for good is left out, and the others are reported', async () => {
  const gone = new Failure('unknown callback (404)', { exitCode: 1, status: 404 })

  const followed = await follow([() => [], () => entries(0, 3)], 0, { c1: gone })

  expect(followed).toEqual({
    reported: ['c0', 'c2'],
    failures: [],
    leftOut: ['callback c1 is left out: unknown callback (404)'],
  })
})

test('credentials that are no longer accepted end it, because each attempt would count against them', async () => {
  const refused = new Failure('unauthorised (401)', { exitCode: 1, status: 401 })

  await expect(follow([() => [], () => refused, () => entries(0, 2)])).rejects.toBe(refused)
})

test('more than can be followed at once are left out, and the number is said', async () => {
  const { reported, leftOut } = await follow([() => [], () => entries(0, 5_100)])

  expect(reported).toHaveLength(5_000)
  expect(reported.at(-1)).toBe('c5099')
  expect(leftOut).toEqual(['more than 5,000 callbacks are new: the oldest of them are left out'])
})
