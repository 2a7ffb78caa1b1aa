import type { IncomingHttpHeaders } from 'node:http'
import type { Caller, Role } from '@despatch/domain/access/caller'
import { Problem } from '@despatch/domain/problem'
import { type Consumer, findConsumer } from '@despatch/store/access/consumers'
import type { Db } from '@despatch/store/database'
import { hashApiKey, isSameApiKey } from './api-keys.ts'
import { createConsumerCache } from './consumer-cache.ts'
import { endOfDayMs, isExpired } from './expiry.ts'
import { isFromItsNetworks, requireItsNetworks, type Source } from './require-networks.ts'
import { createTokenVerifier, type VerifiedToken } from './tokens.ts'
import { createVerificationKeys } from './verification-keys.ts'

/**
 * Authenticates a request by its Authorization (the JWT, bare or after `Bearer`) and X-API-Key headers. Data about a
 * consumer may be 1 s old, but is never from before a change of its API key. With `fresh` it is always read. Throws a
 * Problem 'not-permitted' if the caller lacks the role or the service, or calls from outside its networks. Throws
 * 'not-authenticated' if a credential is absent, expired, of a disabled consumer or of another consumer. It throws that
 * too if the token is older than the last time that its consumer recovered its password, got a password or an API key
 * from an operator, was disabled, or had its tokens ended.
 * Returns a cached caller synchronously, without a promise. Nearly every request takes this path.
 */
export type AuthenticateCaller = (
  headers: IncomingHttpHeaders,
  source?: Source,
  options?: { fresh?: boolean },
) => Caller | Promise<Caller>

type AuthenticatorOptions = {
  db: Db
  /** The role that every caller must have. Default: any role. */
  role?: Role
  /** The service that every caller must be allowed to use, by the name of its path prefix. Default: no check. */
  service?: string
  now?: () => Date
  /** Milliseconds of a monotonic clock. */
  monotonicMs?: () => number
}

/** The caller, and the time until which its API key is accepted. `apiKey` is set once its hash has matched. */
type Admission = { untilMs: number; caller: Caller; apiKey?: Buffer }

export function createAuthenticator({
  db,
  role,
  service,
  now = () => new Date(),
  monotonicMs = () => performance.now(),
}: AuthenticatorOptions): AuthenticateCaller {
  const tokens = createTokenVerifier(createVerificationKeys(db), now)
  const consumers = createConsumerCache({ find: (id) => findConsumer(db, id), now, monotonicMs })

  async function findHolder(token: VerifiedToken, apiKeyHash: Buffer, fresh: boolean) {
    const { consumerId } = token
    const known = fresh ? undefined : await consumers.recent(consumerId)
    if (mayCall(known, token, apiKeyHash, now())) return known
    // Read again also when the cached consumer is refused: a key that was changed a moment ago works at once.
    const consumer = await consumers.read(consumerId)
    return mayCall(consumer, token, apiKeyHash, now()) ? consumer : undefined
  }

  function isPermitted({ roles, services }: Consumer): boolean {
    return (!role || roles.includes(role)) && (service === undefined || services.includes(service))
  }

  // The permissions of a consumer are computed once per read of its row, not per request.
  const admissions = new WeakMap<Consumer, Admission>()
  function admissionOf(consumer: Consumer): Admission {
    let admission = admissions.get(consumer)
    if (!admission) {
      const isAdmitted = consumer.disabledAt === null && isPermitted(consumer)
      const untilMs = isAdmitted ? endOfDayMs(consumer.apiKeyExpiresOn) : 0
      admission = { untilMs, caller: toCaller(consumer) }
      admissions.set(consumer, admission)
    }
    return admission
  }

  // Comparing with a key that matched before costs a third of hashing the given key.
  function hasApiKey(consumer: Consumer, admission: Admission, apiKey: string): boolean {
    const given = Buffer.from(apiKey)
    if (admission.apiKey) return isSameApiKey(admission.apiKey, given)
    if (!isSameApiKey(consumer.apiKeyHash, hashApiKey(apiKey))) return false
    admission.apiKey = given
    return true
  }

  function recallCaller(
    token: string,
    apiKey: string,
    source: Source | undefined,
  ): Caller | undefined {
    const verified = tokens.recall(token)
    const known = verified && consumers.recall(verified.consumerId)
    if (!known || !isCurrent(verified, known)) return undefined
    const admission = admissionOf(known)
    if (!hasApiKey(known, admission, apiKey)) return undefined
    if (!isFromItsNetworks(known, source, role)) return undefined
    return now().getTime() < admission.untilMs ? admission.caller : undefined
  }

  async function findCaller(
    token: string,
    apiKeyHash: Buffer,
    { source, fresh }: { source: Source | undefined; fresh: boolean },
  ): Promise<Caller> {
    const verified = await tokens.verify(token)
    if (!verified) throw refused()
    const consumer = await findHolder(verified, apiKeyHash, fresh)
    if (!consumer) throw refused()
    requireItsNetworks(consumer, source, role)
    const caller = toCaller(consumer)
    if (role) requireRole(caller, role)
    if (service !== undefined) requireService(consumer, service)
    return caller
  }

  return ({ authorization, 'x-api-key': apiKey }, source, { fresh = false } = {}) => {
    if (!authorization || typeof apiKey !== 'string' || apiKey === '') {
      return Promise.reject(refused())
    }
    const token = tokenOf(authorization)
    const known = fresh ? undefined : recallCaller(token, apiKey, source)
    return known ?? findCaller(token, hashApiKey(apiKey), { source, fresh })
  }
}

// A JWT begins with the base64 of `{`, which is e. So the first letter identifies a bare token.
function tokenOf(authorization: string): string {
  return authorization.startsWith('e') ? authorization : authorization.replace(/^bearer +/i, '')
}

/** Throws a Problem 'not-permitted' unless the caller has the role. */
export function requireRole({ roles }: Caller, role: Role): void {
  if (roles.includes(role)) return
  throw new Problem('not-permitted', `This operation requires the role ${role}`)
}

/** Throws a Problem 'not-permitted' unless the consumer may use the service. */
export function requireService({ services }: Consumer, service: string): void {
  if (services.includes(service)) return
  throw new Problem('not-permitted', `The credentials are not for the service ${service}`)
}

function isCurrent({ generation }: VerifiedToken, { tokenGeneration }: Consumer): boolean {
  return generation === undefined || generation === tokenGeneration
}

function mayCall(
  consumer: Consumer | undefined,
  token: VerifiedToken,
  apiKeyHash: Buffer,
  now: Date,
): consumer is Consumer {
  return (
    consumer !== undefined &&
    consumer.disabledAt === null &&
    isCurrent(token, consumer) &&
    !isExpired(consumer.apiKeyExpiresOn, now) &&
    isSameApiKey(consumer.apiKeyHash, apiKeyHash)
  )
}

export function toCaller({ id, apiKeyHash, roles, providerId, usagePlan }: Consumer): Caller {
  return {
    consumerId: id,
    apiKeyHash,
    roles,
    usagePlan,
    ...(providerId !== null && { providerId }),
  }
}

// Deliberately vague: the message must not reveal which part was right.
function refused(): Problem {
  return new Problem(
    'not-authenticated',
    'API Key or JWT is either not provided, expired or invalid',
  )
}
