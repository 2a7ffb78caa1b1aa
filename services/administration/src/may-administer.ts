import { requireRole } from '@despatch/access/authenticate-caller'
import type { Caller } from '@despatch/domain/access/caller'
import { Problem } from '@despatch/domain/problem'

/** Throws a Problem 'not-permitted' unless the caller is an operator or an admin. */
export function requireOperator(caller: Caller): void {
  if (!isAdmin(caller)) requireRole(caller, 'operator')
}

/** An `onRequest` hook: throws a Problem unless the caller is an admin, before the request is validated. */
export async function requireAdmin({ caller }: { caller: Caller }): Promise<void> {
  requireRole(caller, 'admin')
}

/** An `onRequest` hook: throws a Problem unless the caller is an operator with the address-editor role, or an admin. */
export async function requireAddressEditor({ caller }: { caller: Caller }): Promise<void> {
  if (!isAdmin(caller)) requireRole(caller, 'address-editor')
}

/**
 * Throws a Problem unless the caller may disable a consumer with these roles. An operator may not disable operators or
 * admins; an admin may disable any consumer.
 */
export function requireMayDisable(caller: Caller, { roles }: Pick<Caller, 'roles'>): void {
  if (roles.includes('operator') || roles.includes('admin')) requireRole(caller, 'admin')
}

/** Throws a Problem if the caller would remove its own access. So the last admin cannot lock everyone out. */
export function refuseOwnAccess({ consumerId: own }: Caller, consumerId: string): void {
  if (own !== consumerId) return
  throw new Problem('own-access', 'Ask another operator to remove your access')
}

function isAdmin({ roles }: Caller): boolean {
  return roles.includes('admin')
}
