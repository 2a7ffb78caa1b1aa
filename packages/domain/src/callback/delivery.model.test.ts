import { byEffort } from '@despatch/testing/effort'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  judgeEnd,
  judgeRate,
  type Kind,
  kinds,
  type Owed,
  Simulation,
} from '../../test/simulated-delivery.ts'
import type { RetryParams } from '../print-job/params.ts'
import type { CallLimits } from './choose.ts'

const limits: CallLimits = {
  callsPerOriginMax: 8,
  lastCallsFactor: 4,
  callsPerSecondMax: 500,
  probeSeconds: 20,
  reservedCalls: 0,
  turnLength: 1,
}

const owedTo = (origins: Kind[]) =>
  fc
    .record({
      atMs: fc.oneof(fc.nat(2_000), fc.nat(600_000)),
      origin: fc.constantFrom(...origins),
      job: fc.nat(4),
      window: fc.option(fc.constantFrom(30, 45, 60, 300, 900), { nil: undefined }),
    })
    .map(
      ({ atMs, origin, job, window }): Owed => ({
        atMs,
        origin,
        orderingKey: `${origin} ${job}`,
        retryParams: window === undefined ? undefined : { enabled: true, maxRetryWindow: window },
      }),
    )
const someOwed = fc
  .subarray(kinds, { minLength: 1, maxLength: 4 })
  .chain((origins) => fc.array(owedTo(origins), { minLength: 1, maxLength: 80 }))
const someLimits = fc
  .record({
    calls: fc.integer({ min: 1, max: 4 }),
    callsPerSecondMax: fc.integer({ min: 1, max: 20 }),
  })
  .map(({ calls, callsPerSecondMax }) => ({
    ...limits,
    callsPerOriginMax: calls,
    lastCallsFactor: 4,
    callsPerSecondMax,
  }))

test('in any run each ordering key has one call at a time in order, within limits, with one probe, and all promised attempts', () => {
  fc.assert(
    fc.property(someOwed, someLimits, fc.integer({ min: 1, max: 40 }), (owed, limits, free) => {
      const simulation = new Simulation({ owed, limits, free }).run()

      expect(simulation.wrongs).toEqual([])
      expect(simulation.rows.flatMap(judgeEnd)).toEqual([])
      expect(judgeRate(simulation, limits.callsPerSecondMax)).toEqual([])
    }),
    { numRuns: byEffort({ landing: 40, full: 200 }) },
  )
})

/** Ten minutes with one callback every `everyMs` on average, in pairs with one ordering key. */
const tenMinutesOf = (origin: Kind, everyMs: number, retryParams?: RetryParams): Owed[] =>
  Array.from({ length: 600_000 / everyMs }, (_, i) => ({
    atMs: Math.floor(i / 2) * 2 * everyMs,
    origin,
    orderingKey: `${origin} ${Math.floor(i / 2)}`,
    retryParams,
  }))
const retried = { enabled: true, maxRetryWindow: 300 }

test('a dead origin gets first and last attempts, and one probe at a time', () => {
  const simulation = new Simulation({
    owed: tenMinutesOf('dead', 5_000, retried),
    limits,
    free: 64,
  }).run()
  const { rows, wrongs, probes } = simulation
  const counts = rows.map(({ attempts }) => attempts.length)
  const lateness = rows.map(
    ({ attempts, windowEndsAt }) => attempts.at(-1)!.startedAt.getTime() - windowEndsAt!.getTime(),
  )

  expect(wrongs).toEqual([])
  expect(rows.filter(({ end }) => end !== 'window-ended')).toEqual([])
  expect(Math.min(...counts)).toBeGreaterThanOrEqual(2)
  expect(probes).toBeGreaterThanOrEqual(10)
  // The table is polled every half second.
  expect(Math.max(...lateness)).toBeLessThanOrEqual(500)
})

test('an origin that recovers gets all callbacks', () => {
  const { rows, wrongs } = new Simulation({
    owed: tenMinutesOf('flapping', 2_000, retried),
    limits,
    free: 64,
  }).run()

  expect(wrongs).toEqual([])
  expect(rows.filter(({ end }) => end !== 'delivered')).toEqual([])
})

test('a healthy origin waits no longer beside dead, silent and slow ones', () => {
  const sparser = byEffort({ landing: 4, full: 1 })
  const healthy = tenMinutesOf('healthy', 1_500 * sparser, retried)
  const others = (['dead', 'silent', 'slow', 'unsteady'] as const).flatMap((origin) =>
    tenMinutesOf(origin, 3_000 * sparser, retried),
  )
  const startsOf = (owed: Owed[]) =>
    new Simulation({ owed, limits, free: 96 })
      .run()
      .rows.filter(({ origin }) => origin === 'healthy')
      .map(({ attempts }) => attempts.map(({ startedAt }) => startedAt.toISOString()))

  expect(startsOf([...healthy, ...others])).toEqual(startsOf(healthy))
})
