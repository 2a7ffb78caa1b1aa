import { randomUUID } from 'node:crypto'
import type { Role } from '@despatch/domain/access/caller'
import { transact } from '@despatch/postgres/transact'
import { insertAuditEvent } from '@despatch/store/access/audit-events'
import {
  findAccountByUserName,
  type InsertableContract,
  insertConsumer,
  insertContract,
} from '@despatch/store/access/consumers'
import type { Db } from '@despatch/store/database'
import { apiKeyPrefix, hashApiKey } from './api-keys.ts'
import { apiKeyLifeDays, dayAfter, passwordLifeDays } from './expiry.ts'
import { hashPassword } from './passwords.ts'

export type ConsumerSeed = {
  userName: string
  name: string
  password: string
  apiKey: string
  roles: readonly Role[]
  services?: readonly string[]
  /** The address for recovery codes. */
  email?: string
  /** Required for the role provider. The provider itself must exist already. */
  providerId?: string
  contracts: readonly Omit<InsertableContract, 'id' | 'consumerId'>[]
}

/**
 * Creates a consumer and its contracts unless they exist, and returns the consumer's id. An existing consumer of that
 * user name is not changed, credentials included. Safe to repeat, and to run in several processes at once.
 */
export async function seedConsumer(
  db: Db,
  seed: ConsumerSeed,
  now: Date = new Date(),
): Promise<string> {
  const consumerId = (await findConsumerId(db, seed)) ?? (await addConsumer(db, seed, now))
  for (const contract of seed.contracts) {
    await insertContract(db, { ...contract, id: randomUUID(), consumerId })
  }
  return consumerId
}

async function findConsumerId(db: Db, { userName }: ConsumerSeed): Promise<string | undefined> {
  return (await findAccountByUserName(db, userName))?.id
}

async function addConsumer(db: Db, seed: ConsumerSeed, now: Date): Promise<string> {
  const { name, userName, password, apiKey, roles, services, email, providerId = null } = seed
  const row = {
    id: randomUUID(),
    name,
    userName,
    passwordHash: await hashPassword(password),
    passwordExpiresOn: dayAfter(now, passwordLifeDays),
    apiKeyPrefix: apiKeyPrefix(apiKey),
    apiKeyHash: hashApiKey(apiKey),
    apiKeyExpiresOn: dayAfter(now, apiKeyLifeDays),
    roles: [...roles],
    ...(services && { services }),
    ...(email !== undefined && { email }),
    providerId,
  }
  await transact(db, async (tx) => {
    if ((await insertConsumer(tx, row)) === 'user-name-taken') return
    const event = { actor: 'seed', action: 'consumer.created', consumerId: row.id } as const
    await insertAuditEvent(tx, { ...event, detail: { roles } })
  })
  const id = await findConsumerId(db, seed)
  if (!id) throw new Error(`The consumer ${userName} is missing after its insertion`)
  return id
}
