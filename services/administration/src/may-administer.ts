import { requireRole } from '@despatch/access/authenticate-caller'
import type { Caller } from '@despatch/domain/access/caller'
import { Problem } from '@despatch/domain/problem'

/** Throws a Problem 'not-permitted' unless the caller is an operator. An admin is one too. */
export function requireOperator(caller: Caller): void {
  if (!isAdmin(caller)) requireRole(caller, 'operator')
}

/** For a route's `onRequest`: the caller must be an admin, whatever else the request says. */
export async function requireAdmin({ caller }: { caller: Caller }): Promise<void> {
  requireRole(caller, 'admin')
}

/** The same: an operator who has been trusted with the addresses of letters, or an admin. */
export async function requireAddressEditor({ caller }: { caller: Caller }): Promise<void> {
  if (!isAdmin(caller)) requireRole(caller, 'address-editor')
}

/** Throws unless the caller may disable somebody with these roles: an admin may always, an operator no colleague. */
export function requireMayDisable(caller: Caller, { roles }: Pick<Caller, 'roles'>): void {
  if (roles.includes('operator') || roles.includes('admin')) requireRole(caller, 'admin')
}

/** Throws when the caller would shut itself out: whoever is the last admin stays one. */
export function refuseOwnAccess({ consumerId: own }: Caller, consumerId: string): void {
  if (own !== consumerId) return
  throw new Problem('own-access', 'Ask another operator to take away your access')
}

function isAdmin({ roles }: Caller): boolean {
  return roles.includes('admin')
}
