import type { IncomingHttpHeaders } from 'node:http'
import type { ConsoleSession, ConsoleSessions } from '@despatch/access/console-session'
import { Problem } from '@despatch/domain/problem'

/** Whether the caller is a signed-in operator. 'unknown': the database cannot tell. */
type Visitor = 'operator' | 'stranger' | 'unknown'

/** Returns a function that distinguishes operators from strangers by the console's session. */
export function visitorsBy({ find }: Pick<ConsoleSessions, 'find'>, onError: (e: Error) => void) {
  return async (headers: IncomingHttpHeaders): Promise<Visitor> => {
    try {
      return isOperator(await find(headers)) ? 'operator' : 'stranger'
    } catch (error) {
      if (error instanceof Problem) return 'stranger'
      onError(error as Error)
      return 'unknown'
    }
  }
}

/** Whether the session is valid and of an operator. */
export function isOperator(session: ConsoleSession | undefined): boolean {
  const { roles = [] } = session?.caller ?? {}
  return roles.includes('operator') || roles.includes('admin')
}

/** Returns the address of the sign-in page, which leads on to `path` with its query. */
export function signInPath(path: string): string {
  return `/sign-in?next=${encodeURIComponent(path)}`
}

/** Added to the log line of a request whose session could not be read. */
export const databaseAway = { dependency: 'database' }

/** The response while the database cannot tell who the caller is. */
export const notNow = {
  errors: [
    {
      status: '503 SERVICE_UNAVAILABLE',
      code: 'ServiceUnavailable',
      detail: 'The database does not respond, or too many requests arrive at once',
    },
  ],
}

/** The response to a script without a session. */
export const notSignedIn = {
  errors: [{ status: '401 UNAUTHORIZED', code: 'Unauthorized', detail: 'Sign in to the console' }],
}
