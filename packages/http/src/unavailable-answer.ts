import { randomInt } from 'node:crypto'
import { classOfFault } from '@despatch/domain/outage/fault-class'
import {
  type Dependency,
  unavailableDependency,
} from '@despatch/domain/outage/unavailable-dependency'
import { Problem } from '@despatch/domain/problem'

/** Why a request cannot be served now, for the log: the dependency and the class of its error. */
type Outage = { dependency: Dependency; fault: string }

const retryAfterSecondsMin = 2
const retryAfterSecondsMax = 5

/**
 * SQLSTATEs of a database that is too busy to finish: deadlock, serialization failure, statement timeout, lock timeout.
 * PostgreSQL rolls the statement back, so the caller may retry the request. Workers do not treat them as an outage,
 * because a single letter can cause them.
 */
const busyStates: ReadonlySet<unknown> = new Set(['40001', '40P01', '57014', '55P03'])

/**
 * Distinguishes an outage of a dependency from a fault of the service. Returns undefined if the error is not an outage.
 * An error whose cause is an outage counts as one.
 */
export function findOutage(error: unknown): Outage | undefined {
  const dependency = unavailableDependency(error) ?? (isBusy(error) ? 'database' : undefined)
  if (dependency) return { dependency, fault: classOfFault(error) }
  return error instanceof Error && error.cause ? findOutage(error.cause) : undefined
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && busyStates.has((error as { code?: unknown }).code)
}

/** The problem that the caller gets during an outage. It names no infrastructure. */
export function temporarilyUnavailable(): Problem {
  return new Problem('unavailable', 'The service is temporarily unavailable. Retry the request.')
}

/** Returns whole seconds from 2 to 5. The number is random so that callers do not all retry at the same time. */
export function retryAfterSeconds(): string {
  return String(randomInt(retryAfterSecondsMin, retryAfterSecondsMax + 1))
}
