/** The dependencies that our services require. */
const dependencies = ['database', 'object-store', 'queue', 'virus-scanner'] as const
export type Dependency = (typeof dependencies)[number]

/**
 * A dependency did not answer, or answered that it cannot work now. Adapters throw it; `cause` is the original error.
 */
export class DependencyUnavailable extends Error {
  override readonly name = 'DependencyUnavailable'
  readonly dependency: Dependency

  constructor(dependency: Dependency, options?: ErrorOptions) {
    super(`The ${dependency} is unavailable`, options)
    this.dependency = dependency
  }
}

/**
 * Returns the dependency whose outage an error reports. Returns undefined if the error has another cause, such as a
 * defect of ours or the data of one letter. Errors of PostgreSQL reach this function unwrapped. It recognises them by
 * SQLSTATE, by the driver's message, or by the code of a socket error, which no other adapter lets through.
 */
export function unavailableDependency(error: unknown): Dependency | undefined {
  if (error instanceof DependencyUnavailable) return error.dependency
  if (!(error instanceof Error)) return undefined
  const { code } = error as { code?: unknown }
  if (typeof code === 'string') {
    return isOutageState(code) || socketCodes.has(code) ? 'database' : undefined
  }
  return driverMessages.has(error.message) ? 'database' : undefined
}

/**
 * SQLSTATE classes 08 (connection), 53 (disk full, out of memory, too many connections) and 58 (I/O error); 57P01 to
 * 57P05 (shutting down, crashed, starting, database dropped, idle too long); 25P03 (idle in transaction too long);
 * 25006 (read only, as during a failover).
 */
function isOutageState(code: string): boolean {
  return /^(08...|53...|58...|57P0[1-5]|25P03|25006)$/.test(code)
}

const socketCodes: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
])

/** Errors that have no code in the driver. */
const driverMessages: ReadonlySet<string> = new Set([
  'Connection terminated',
  'Connection terminated unexpectedly',
  'Connection terminated due to connection timeout',
  'Client has encountered a connection error and is not queryable',
  'Client was closed and is not queryable',
  // A request that outlives its connection reaches the pool after its service has closed it.
  'Cannot use a pool after calling end on the pool',
  'Query read timeout',
  'timeout exceeded when trying to connect',
  'timeout expired',
])
