import { DependencyUnavailable } from './unavailable-dependency.ts'

/**
 * Names a fault by its class, or by its code where the class tells nothing (`ECONNREFUSED`), and an outage by its cause.
 * Never by its message, which may hold data.
 */
export function classOfFault(error: unknown): string {
  if (!(error instanceof Error)) return 'Error'
  if (error instanceof DependencyUnavailable && error.cause) return classOfFault(error.cause)
  const { name, code } = error as Error & { code?: unknown }
  const isTelling = !tellingNothing.includes(name)
  return !isTelling && typeof code === 'string' && codeForm.test(code) ? code : name
}

/** `error` is what PostgreSQL says, whose code tells more. */
const tellingNothing = ['Error', 'AggregateError', 'error']
const codeForm = /^[A-Z0-9_]{3,40}$/
