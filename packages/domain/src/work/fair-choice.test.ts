import { describe, expect, test } from 'vitest'
import { chooseNext, type FairLimits, type RunningWork, type WaitingWork } from './fair-choice.ts'

const limits: FairLimits = { permits: 2, sliceMs: 1_000, reservesLast: false }
const nowMs = 10_000

const waits = (consumerId: string, isLong = false): WaitingWork => ({ consumerId, isLong })
const runs = (
  consumerId: string,
  forMs: number,
  detail: Partial<RunningWork> = {},
): RunningWork => ({
  consumerId,
  isLong: false,
  isLeaving: false,
  startedAtMs: nowMs - forMs,
  ...detail,
})

function choose(
  waiting: WaitingWork[],
  running: RunningWork[],
  {
    used = {},
    ...changed
  }: Partial<FairLimits> & { used?: Record<string, [usedMs: number, lastStart: number]> } = {},
) {
  const serviceOf = (consumerId: string) => {
    const [usedMs, lastStart] = used[consumerId] ?? [0, 0]
    return { usedMs, lastStart }
  }
  return chooseNext({ waiting, running, serviceOf, limits: { ...limits, ...changed }, nowMs })
}

const start = (work: WaitingWork) => ({ kind: 'start', work })
const setAside = (work: RunningWork) => ({ kind: 'set-aside', work })
const wait = { kind: 'wait' }

describe('a free slot', () => {
  const [a, b] = [waits('a'), waits('b')]

  test('stays free while nothing waits', () => {
    expect(choose([], [runs('a', 5)])).toEqual(wait)
  })

  test.each<[what: string, used: Record<string, [number, number]>, first: WaitingWork]>([
    ['the first that came, among equals', {}, a],
    ['the consumer that has used less', { a: [9, 1], b: [8, 2] }, b],
    ['the consumer that was served longer ago, among equals', { a: [9, 2], b: [9, 1] }, b],
    ['a new consumer, among equals', { a: [9, 2], b: [9, 0] }, b],
  ])('goes to %s', (_what, used, first) => {
    expect(choose([a, b], [], { used })).toEqual(start(first))
  })

  test('goes to a consumer that already has one, unless it is the last and reserved', () => {
    expect(choose([a], [runs('a', 5)], { permits: 3, reservesLast: true })).toEqual(start(a))
    expect(choose([a], [runs('a', 5)])).toEqual(start(a))
  })

  test('the last slot, if it is reserved, goes to a consumer without one', () => {
    expect(choose([a, b], [runs('a', 5)], { reservesLast: true })).toEqual(start(b))
    expect(choose([a], [runs('a', 5)], { reservesLast: true })).toEqual(wait)
    expect(choose([a], [runs('a', 5), runs('c', 5)], { permits: 3, reservesLast: true })).toEqual(
      wait,
    )
    expect(choose([a], [], { permits: 1, reservesLast: true })).toEqual(start(a))
  })

  test('goes to long work only if that work may keep it', () => {
    const long = waits('a', true)

    expect(choose([long, b], [])).toEqual(start(long))
    expect(choose([long, b], [runs('c', 1_000)])).toEqual(start(b))
    expect(choose([long], [runs('c', 1_000)], { permits: 3 })).toEqual(start(long))
    expect(choose([long], [runs('a', 1_000)], { permits: 3 })).toEqual(wait)
  })
})

describe('while all slots are taken', () => {
  const b = waits('b')

  test('no work is set aside before its slice has ended', () => {
    const running = [runs('a', 2_000), runs('a', 999)]

    expect(choose([b], running)).toEqual({ kind: 'wait', untilMs: nowMs + 1 })
  })

  test('the next decision is made when the first slice ends', () => {
    const running = [runs('a', 400), runs('a', 700), runs('c', 100)]

    expect(choose([b], running, { permits: 3 })).toEqual({ kind: 'wait', untilMs: nowMs + 300 })
  })

  test('no work is set aside if slices have no end', () => {
    const sliceMs = Number.POSITIVE_INFINITY

    expect(choose([b], [runs('a', 9_000), runs('a', 9_000)], { sliceMs })).toEqual(wait)
  })

  test('the second long work of a consumer is set aside for another consumer', () => {
    const running = [runs('a', 2_000), runs('a', 1_000)]

    expect(choose([b], running)).toEqual(setAside(running[1]!))
  })

  test('the last of the long work of all consumers is set aside for another consumer', () => {
    const running = [runs('a', 1_000), runs('c', 2_000)]

    expect(choose([b], running)).toEqual(setAside(running[0]!))
  })

  test('no work is set aside for its own consumer, or for long work that may not start', () => {
    const running = [runs('a', 2_000), runs('a', 1_000)]

    expect(choose([], running)).toEqual(wait)
    expect(choose([], [runs('a', 5), runs('a', 5)])).toEqual(wait)
    expect(choose([waits('a')], running)).toEqual(wait)
    expect(choose([waits('b', true)], running)).toEqual(wait)
  })

  test('no work is set aside for the last slot, if it is reserved, and a consumer that has another', () => {
    const running = [runs('a', 2_000), runs('a', 1_000), runs('b', 5)]

    expect(choose([b], running, { permits: 3, reservesLast: true })).toEqual({
      kind: 'wait',
      untilMs: nowMs + 995,
    })
  })

  test('no work is set aside twice', () => {
    const running = [runs('a', 2_000), runs('c', 1, { isLong: true })]

    expect(choose([b], running)).toEqual(setAside(running[0]!))
  })

  test('only one work is set aside at a time', () => {
    const running = [runs('a', 2_000), runs('a', 1_500), runs('a', 1_000, { isLeaving: true })]

    expect(choose([b], running, { permits: 3 })).toEqual(wait)
  })

  test('no work is set aside if there is only one slot', () => {
    expect(choose([b], [runs('a', 9_000)], { permits: 1 })).toEqual(wait)
  })
})
