import type { IncomingHttpHeaders } from 'node:http'
import type { AuthenticateCaller } from '@despatch/access/authenticate-caller'
import { type ConsoleSessions, consoleHeader } from '@despatch/access/console-session'
import type { Caller } from '@despatch/domain/access/caller'

/**
 * Finds who calls: by JWT and API key, or by the session of the console. What is known of the caller is read anew each
 * time: an operator who has been disabled or has lost a role must not do one thing more.
 */
export function createOperatorAuthenticator({
  authenticate,
  sessions,
}: {
  authenticate: AuthenticateCaller
  sessions: Pick<ConsoleSessions, 'find'>
}): (headers: IncomingHttpHeaders) => Caller | Promise<Caller> {
  return async (headers) => {
    // the cookie comes with whatever a browser asks for; the header only with what a script of ours does
    const isOfConsole = headers[consoleHeader] === '1' && headers.authorization === undefined
    if (!isOfConsole) return authenticate(headers, { fresh: true })
    const { caller } = await sessions.find(headers)
    return caller
  }
}
