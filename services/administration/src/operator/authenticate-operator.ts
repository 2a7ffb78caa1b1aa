import type { IncomingHttpHeaders } from 'node:http'
import type { AuthenticateCaller } from '@despatch/access/authenticate-caller'
import { type ConsoleSessions, consoleHeader } from '@despatch/access/console-session'
import type { Caller } from '@despatch/domain/access/caller'

/**
 * Returns the authenticator of operators: by JWT and API key, or by the console's session. It reads the caller from the
 * database at each request, so that a disabled operator or a lost role takes effect at once.
 */
export function createOperatorAuthenticator({
  authenticate,
  sessions,
}: {
  authenticate: AuthenticateCaller
  sessions: Pick<ConsoleSessions, 'find'>
}): (headers: IncomingHttpHeaders) => Caller | Promise<Caller> {
  return async (headers) => {
    // a browser sends the cookie with every request, but only the console's own script sends the header
    const isOfConsole = headers[consoleHeader] === '1' && headers.authorization === undefined
    if (!isOfConsole) return authenticate(headers, { fresh: true })
    const { caller } = await sessions.find(headers)
    return caller
  }
}
