import { randomUUID } from 'node:crypto'
import { createConsumer } from '@despatch/access/create-consumer'
import type { Role } from '@despatch/domain/access/caller'
import {
  type Capabilities,
  unrestrictedCapabilities,
} from '@despatch/domain/print-run/capabilities'
import { insertProvider } from '@despatch/store/access/consumers'
import type { Database } from '@despatch/store/database'
import type { Credential } from '../start-despatch.ts'

export type ProviderAccount = { id: string; credential: Credential }

/** Adds a provider with one site. Its reprints are decided immediately: other tests cover waiting for an operator. */
export async function addProvider(
  database: Database,
  capabilities: Partial<Capabilities> = {},
): Promise<ProviderAccount> {
  const id = `provider-${randomUUID()}`
  await insertProvider(database.db, { id, name: 'A factory', printLocations: ['FLOOR'] })
  await database.pool.query(
    'update print_site set capabilities = $2, reprints_free_percent = 100 where provider_id = $1',
    [id, JSON.stringify({ ...unrestrictedCapabilities, ...capabilities })],
  )
  const { credential } = await addCaller(database, { roles: ['provider'], providerId: id })
  return { id, credential }
}

/** Adds a consumer with these roles. */
export async function addCaller(
  { db }: Database,
  { roles, providerId }: { roles: readonly Role[]; providerId?: string },
): Promise<{ consumerId: string; credential: Credential }> {
  const userName = `faults-${randomUUID()}`
  const created = await createConsumer(
    db,
    { userName, name: 'Faults', roles, ...(providerId && { providerId }) },
    { actor: 'faults' },
  )
  if (created.kind !== 'created') throw new Error(`Consumer ${userName} already exists`)
  const { consumerId, password, apiKey } = created
  return { consumerId, credential: { userName, password, apiKey } }
}
