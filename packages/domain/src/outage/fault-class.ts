import { DependencyUnavailable } from './unavailable-dependency.ts'

/**
 * Returns the class of a fault, or its code if the class says nothing (`ECONNREFUSED`). For an outage, returns the
 * class of its cause. Never returns the message, which may contain data.
 */
export function classOfFault(error: unknown): string {
  if (!(error instanceof Error)) return 'Error'
  if (error instanceof DependencyUnavailable && error.cause) return classOfFault(error.cause)
  const { name, code } = error as Error & { code?: unknown }
  const isMeaningful = !meaninglessNames.includes(name)
  return !isMeaningful && typeof code === 'string' && codeForm.test(code) ? code : name
}

/** `error` is the name of PostgreSQL's errors, whose code is more specific. */
const meaninglessNames = ['Error', 'AggregateError', 'error']
const codeForm = /^[A-Z0-9_]{3,40}$/
