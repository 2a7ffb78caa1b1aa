import { unknownValue } from '@despatch/contracts/administration/problems'
import type { Role } from '@despatch/domain/access/caller'
import { invalidFields } from '@despatch/domain/problem'
import { listAllUsagePlans } from '@despatch/store/access/usage-plan-limits'
import type { Db } from '@despatch/store/database'

/** Throws a Problem 'invalid-field' if there is no such usage plan. */
export async function requireKnownPlan(db: Db, usagePlan: string): Promise<void> {
  const names = (await listAllUsagePlans(db)).map(({ name }) => name)
  if (!names.includes(usagePlan)) throw unknownValue('usagePlan', names)
}

type RolesWithProvider = { roles: readonly Role[]; providerId?: string }

/**
 * Returns the provider that a consumer with these roles acts for, or null. Throws a Problem 'invalid-field' if roles
 * and provider do not match.
 */
export async function requireKnownProvider(
  db: Db,
  rights: RolesWithProvider,
): Promise<string | null> {
  const { roles, providerId } = rights
  const isProvider = roles.includes('provider')
  if (isProvider && providerId === undefined) throw wrongProvider('must be given with the role')
  if (!isProvider && providerId !== undefined)
    throw wrongProvider('must be left out without the role')
  if (providerId === undefined) return null
  const known = await listProviderIds(db)
  if (!known.includes(providerId)) throw unknownValue('providerId', known)
  return providerId
}

function wrongProvider(rule: string) {
  const field = 'providerId'
  return invalidFields([{ field, code: 'Invalid', detail: `${field} ${rule} of provider` }])
}

/** Lists the ids of the print providers. Consumers with the provider role act for one of them. */
async function listProviderIds(db: Db): Promise<string[]> {
  const rows = await db.selectFrom('provider').select('id').orderBy('id').execute()
  return rows.map(({ id }) => id)
}
