import type { IncomingHttpHeaders } from 'node:http'
import { type AuthenticateCaller, requireRole } from '@despatch/access/authenticate-caller'
import { type ConsoleSessions, consoleHeader } from '@despatch/access/console-session'
import type { Caller, Role } from '@despatch/domain/access/caller'
import { Problem } from '@despatch/domain/problem'
import type { Api } from '@despatch/http/api'

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

/** Throws a Problem 'not-permitted' unless the caller is an operator or an admin. */
export function requireOperator(caller: Caller): void {
  requireAnyRole(caller, ['operator', 'admin'])
}

/**
 * Lets only callers with one of the `roles` of a route's `config` use it. Applies to routes registered after this call.
 * The role is checked before the request is validated.
 */
export function requireRolesOfRoutes(api: Api): void {
  api.addHook('onRoute', (route) => {
    const roles = route.config?.roles
    if (!roles) return
    const requireOne = async ({ caller }: { caller: Caller }) => requireAnyRole(caller, roles)
    route.onRequest = [...[route.onRequest ?? []].flat(), requireOne]
  })
}

function requireAnyRole(caller: Caller, roles: readonly Role[]): void {
  const role = roles.find((each) => caller.roles.includes(each)) ?? roles[0]
  if (role) requireRole(caller, role)
}

/**
 * Throws a Problem unless the caller may disable a consumer with these roles. An operator may not disable operators or
 * admins; an admin may disable any consumer.
 */
export function requireMayDisable(caller: Caller, { roles }: Pick<Caller, 'roles'>): void {
  if (roles.includes('operator') || roles.includes('admin')) requireRole(caller, 'admin')
}

/** Throws a Problem if the caller would remove its own access, so that the last admin cannot lock everyone out. */
export function refuseOwnAccess({ consumerId: own }: Caller, consumerId: string): void {
  if (own !== consumerId) return
  throw new Problem('own-access', 'Ask another operator to remove your access')
}
