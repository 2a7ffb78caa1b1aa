import type { IncomingHttpHeaders } from 'node:http'
import { type AuthenticateCaller, requireRole } from '@despatch/access/authenticate-caller'
import { type ConsoleSessions, consoleHeader } from '@despatch/access/console-session'
import { requestOrigin } from '@despatch/access/request-origin'
import type { Caller, Role } from '@despatch/domain/access/caller'
import { operationRoles } from '@despatch/domain/access/operation-roles'
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
}): AuthenticateCaller {
  return async (headers, source) => {
    if (!isOfConsole(headers)) return authenticate(headers, source, { fresh: true })
    const { caller } = await sessions.find(headers)
    return caller
  }
}

// a browser sends the cookie with every request, but only the console's own script sends the header
function isOfConsole(headers: IncomingHttpHeaders): boolean {
  return headers[consoleHeader] === '1' && headers.authorization === undefined
}

/**
 * Refuses changes by pages of another origin, and changes with the console's session unless a page of the console makes
 * them. Applies to routes registered after this call.
 */
export function refuseOtherOrigins(api: Api): void {
  api.addHook('onRequest', async ({ method, headers }) => {
    if (method === 'GET' || method === 'HEAD') return
    const origin = requestOrigin(headers)
    if (origin === 'same' || (origin === 'unknown' && !isOfConsole(headers))) return
    throw new Problem('not-permitted', 'Only pages of the console may use its session')
  })
}

/** Throws a Problem 'not-permitted' unless the caller is an operator or an admin. */
export function requireOperator(caller: Caller): void {
  requireAnyRole(caller, ['operator', 'admin'])
}

/**
 * Lets only callers with one of the roles of its operation use a route. Applies to routes registered after this call,
 * except open ones. The role is checked before the request is validated. Throws if the table has no such operation.
 */
export function requireRolesOfRoutes(api: Api): void {
  api.addHook('onRoute', (route) => {
    if (route.config?.open) return
    const roles = rolesOf(route.schema?.operationId)
    route.config = { ...route.config, roles }
    const requireOne = async ({ caller }: { caller: Caller }) => requireAnyRole(caller, roles)
    route.onRequest = [...[route.onRequest ?? []].flat(), requireOne]
  })
}

function rolesOf(operationId = 'without an id'): readonly Role[] {
  const roles: Readonly<Record<string, readonly Role[]>> = operationRoles
  if (!Object.hasOwn(roles, operationId)) {
    throw new Error(`The operation ${operationId} is missing in the table of roles`)
  }
  return roles[operationId]!
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

/** Returns the caller's name in the audit log. */
export function actorOf({ consumerId }: Caller): string {
  return `consumer:${consumerId}`
}
