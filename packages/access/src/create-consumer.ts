import { randomInt, randomUUID } from 'node:crypto'
import type { Role } from '@despatch/domain/access/caller'
import { findPasswordFaults } from '@despatch/domain/access/password-policy'
import { isEmailAddress, isUserName } from '@despatch/domain/access/user-name'
import { type FieldFault, invalidFields } from '@despatch/domain/problem'
import { transact } from '@despatch/postgres/transact'
import { insertAuditEvent } from '@despatch/store/access/audit-events'
import { insertConsumer } from '@despatch/store/access/consumers'
import type { Db } from '@despatch/store/database'
import { apiKeyPrefix, generateApiKey, hashApiKey } from './api-keys.ts'
import { apiKeyLifeDays, dayAfter, passwordLifeDays } from './expiry.ts'
import { hashPassword } from './passwords.ts'

type NewConsumer = {
  userName: string
  name: string
  roles: readonly Role[]
  /** Default: a generated password. */
  password?: string
  services?: readonly string[]
  usagePlan?: string
  email?: string
  /** Required for the role provider. The provider itself must exist already. */
  providerId?: string
}

type CreatedConsumer =
  | { kind: 'created'; consumerId: string; password: string; apiKey: string }
  | { kind: 'user-name-taken' }

/**
 * Creates a consumer and returns its credentials, which cannot be read again. Throws a Problem 'invalid-field' that
 * names userName, password or email if one breaks its rules.
 */
export async function createConsumer(
  db: Db,
  { password = generatePassword(), ...consumer }: NewConsumer,
  { actor, now = new Date() }: { actor: string; now?: Date },
): Promise<CreatedConsumer> {
  refuseFaults({ ...consumer, password })
  const consumerId = randomUUID()
  const apiKey = generateApiKey()
  const { providerId = null, roles, services, ...others } = consumer
  const row = {
    ...others,
    id: consumerId,
    passwordHash: await hashPassword(password),
    passwordExpiresOn: dayAfter(now, passwordLifeDays),
    apiKeyPrefix: apiKeyPrefix(apiKey),
    apiKeyHash: hashApiKey(apiKey),
    apiKeyExpiresOn: dayAfter(now, apiKeyLifeDays),
    roles: [...roles],
    ...(services && { services }),
    providerId,
  }
  return transact(db, async (tx) => {
    if ((await insertConsumer(tx, row)) === 'user-name-taken') return { kind: 'user-name-taken' }
    const detail = { roles, ...(services && { services }) }
    await insertAuditEvent(tx, { actor, action: 'consumer.created', consumerId, detail })
    return { kind: 'created', consumerId, password, apiKey }
  })
}

function refuseFaults({ userName, email, password }: NewConsumer & { password: string }): void {
  const faults: FieldFault[] = []
  const add = (field: string, code: string, rule: string) =>
    faults.push({ field, code, detail: `${field} ${rule}` })
  if (!isUserName(userName)) add('userName', 'Pattern', 'must be 1 to 255 visible ASCII characters')
  if (email !== undefined && !isEmailAddress(email)) {
    add('email', 'Pattern', 'must be an e-mail address of ASCII characters')
  }
  for (const { code, rule } of findPasswordFaults(password)) add('password', code, rule)
  if (faults.length > 0) throw invalidFields(faults)
}

const kinds = ['abcdefghijkmnopqrstuvwxyz', 'ABCDEFGHJKLMNPQRSTUVWXYZ', '23456789', '-_.:+=%@#!']
const generatedCharacters = 24

/** Returns a random password that satisfies the policy, without characters that look alike. About 140 bits. */
export function generatePassword(): string {
  const all = kinds.join('')
  const pick = (characters: string) => characters.charAt(randomInt(characters.length))
  const picked = Array.from({ length: generatedCharacters }, () => pick(all)).join('')
  return findPasswordFaults(picked).length === 0 ? picked : generatePassword()
}
