import type { CallLimits } from '@despatch/domain/callback/choose'
import type { NextStep } from '@despatch/domain/callback/retry'
import type { TakenCallback } from '@despatch/store/callback/lease'
import type { CallbackRecord } from '@despatch/store/callback/record'
import { type TakeOptions, takeCallbacks } from '@despatch/store/callback/take'
import type pg from 'pg'

export const someLimits: CallLimits = {
  callsPerOriginMax: 8,
  lastCallsFactor: 4,
  callsPerSecondMax: 500,
  probeSeconds: 20,
  reservedCalls: 0,
  turnLength: 1,
}

/** Makes one pass while no other process takes callbacks. */
export async function takeOnce(pool: pg.Pool, options: Partial<TakeOptions> = {}) {
  const take = await takeCallbacks(pool, {
    free: 100,
    leaseSeconds: 20,
    limits: someLimits,
    ...options,
  })
  if (take.kind === 'busy') throw new Error('Somebody else takes')
  return take
}

/** Returns the ids that one pass takes, in order. */
export async function takeIds(pool: pg.Pool, options: Partial<TakeOptions> = {}) {
  return (await takeOnce(pool, options)).callbacks.map(({ id }) => id)
}

/** Returns the record of an answered call with the next step. */
export function aRecord(
  taken: Pick<TakenCallback, 'id' | 'epoch' | 'attempts' | 'plannedAt'>,
  next: NextStep,
): CallbackRecord {
  return {
    id: taken.id,
    epoch: taken.epoch,
    attempt: {
      number: taken.attempts + 1,
      plannedAt: taken.plannedAt,
      startedAt: new Date('2026-03-02T10:00:00.123Z'),
      durationMs: 40,
      outcome: next.kind === 'delivered' ? 'delivered' : 'refused',
      httpStatus: next.kind === 'delivered' ? 204 : 503,
    },
    next,
    windowEndsAt: null,
  }
}
