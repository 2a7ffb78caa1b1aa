import type { IncomingHttpHeaders } from 'node:http'
import type { Caller, Role } from '@despatch/domain/access/caller'
import { Problem } from '@despatch/domain/problem'
import { type Consumer, findConsumer } from '@despatch/store/consumers'
import type { Db } from '@despatch/store/database'
import { LRUCache } from 'lru-cache'
import { hashApiKey, isSameApiKey } from './api-keys.ts'
import { isExpired } from './expiry.ts'
import { createTokenVerifier } from './tokens.ts'
import { createVerificationKeys } from './verification-keys.ts'

const consumerCacheMs = 2_000
const consumersMax = 10_000

/**
 * Finds who makes a request by its Authorization (the JWT, bare or after `Bearer`) and X-API-Key headers.
 * What it knows of a consumer may be 2 s old; with `fresh` it is read now.
 * Throws a Problem: 'not-authenticated' for whatever is wrong (absent, expired, disabled, of another consumer),
 * 'not-permitted' when the caller lacks the role.
 */
export type AuthenticateCaller = (
  headers: IncomingHttpHeaders,
  options?: { fresh?: boolean },
) => Promise<Caller>

export type AuthenticatorOptions = {
  db: Db
  /** The role that every caller must have; without it any consumer will do. */
  role?: Role
  now?: () => Date
}

type Known = { consumer: Promise<Consumer | undefined>; atMs: number }

export function createAuthenticator({
  db,
  role,
  now = () => new Date(),
}: AuthenticatorOptions): AuthenticateCaller {
  const verifyToken = createTokenVerifier(createVerificationKeys(db, now), now)
  const consumers = new LRUCache<string, Known>({ max: consumersMax })

  function readConsumer(id: string): Promise<Consumer | undefined> {
    const consumer = findConsumer(db, id)
    consumers.set(id, { consumer, atMs: now().getTime() })
    consumer.catch(() => consumers.delete(id))
    return consumer
  }

  async function findCaller(consumerId: string, apiKeyHash: Buffer, fresh: boolean) {
    const known = fresh ? undefined : consumers.get(consumerId)
    if (known && now().getTime() - known.atMs < consumerCacheMs) {
      const consumer = await known.consumer
      if (mayCall(consumer, apiKeyHash, now())) return toCaller(consumer)
    }
    // also when what is known says no: a key that was changed a moment ago works at once
    const consumer = await readConsumer(consumerId)
    return mayCall(consumer, apiKeyHash, now()) ? toCaller(consumer) : undefined
  }

  return async ({ authorization, 'x-api-key': apiKey }, { fresh = false } = {}) => {
    if (!authorization || typeof apiKey !== 'string' || apiKey === '') throw refused()
    const consumerId = await verifyToken(authorization.replace(/^bearer +/i, ''))
    if (consumerId === undefined) throw refused()
    const caller = await findCaller(consumerId, hashApiKey(apiKey), fresh)
    if (!caller) throw refused()
    if (role) requireRole(caller, role)
    return caller
  }
}

/** Throws a Problem 'not-permitted' unless the caller has the role. */
export function requireRole({ roles }: Caller, role: Role): void {
  if (roles.includes(role)) return
  throw new Problem('not-permitted', `This operation wants the role ${role}`)
}

function mayCall(
  consumer: Consumer | undefined,
  apiKeyHash: Buffer,
  now: Date,
): consumer is Consumer {
  return (
    consumer !== undefined &&
    consumer.disabledAt === null &&
    !isExpired(consumer.apiKeyExpiresOn, now) &&
    isSameApiKey(consumer.apiKeyHash, apiKeyHash)
  )
}

function toCaller({ id, apiKeyHash, roles, providerId }: Consumer): Caller {
  return { consumerId: id, apiKeyHash, roles, ...(providerId !== null && { providerId }) }
}

// Bland on purpose: it does not help to find out which part was right.
function refused(): Problem {
  return new Problem(
    'not-authenticated',
    'API Key or JWT is either not provided, expired or invalid',
  )
}
