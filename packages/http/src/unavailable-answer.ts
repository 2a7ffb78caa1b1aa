import { randomInt } from 'node:crypto'
import { classOfFault } from '@despatch/domain/outage/fault-class'
import {
  type Dependency,
  unavailableDependency,
} from '@despatch/domain/outage/unavailable-dependency'
import { Problem } from '@despatch/domain/problem'

/** Why a request cannot be served now, for the log: the dependency, and the class of what was seen of it. */
export type Outage = { dependency: Dependency; fault: string }

const retryAfterSecondsMin = 2
const retryAfterSecondsMax = 5

/**
 * SQLSTATEs of a database that is too busy to finish: deadlock and serialization failure, statement timeout, lock timeout.
 * The statement is rolled back, so a request may repeat it. They are no outage to workers: a single letter can cause them.
 */
const busyStates: ReadonlySet<unknown> = new Set(['40001', '40P01', '57014', '55P03'])

/**
 * Tells an outage of something that the service needs from a fault of the service itself. Undefined: it is no outage. An
 * error that wraps the report of an outage counts as one.
 */
export function findOutage(error: unknown): Outage | undefined {
  const dependency = unavailableDependency(error) ?? (isBusy(error) ? 'database' : undefined)
  if (dependency) return { dependency, fault: classOfFault(error) }
  return error instanceof Error && error.cause ? findOutage(error.cause) : undefined
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && busyStates.has((error as { code?: unknown }).code)
}

/** What the caller reads of an outage. It names no infrastructure. */
export function temporarilyUnavailable(): Problem {
  return new Problem('unavailable', 'The service is temporarily unavailable. Retry the request.')
}

/** Whole seconds from 2 to 5. They differ, so that callers of one outage do not return together. */
export function retryAfterSeconds(): string {
  return String(randomInt(retryAfterSecondsMin, retryAfterSecondsMax + 1))
}
