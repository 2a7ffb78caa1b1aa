import { hash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Caller, Role } from '@despatch/domain/access/caller'
import { Problem } from '@despatch/domain/problem'
import { type Consumer, findConsumersByApiKey } from '@despatch/store/access/consumers'
import type { Db } from '@despatch/store/database'
import { createGroupLookup } from '@despatch/store/group-lookup'
import { requireRole, requireService, toCaller } from './authenticate-caller.ts'
import { createConsumerCache } from './consumer-cache.ts'
import { endOfDayMs } from './expiry.ts'

export type AuthenticateApiKey = (headers: IncomingHttpHeaders) => Caller | Promise<Caller>

export type ApiKeyAuthenticatorOptions = {
  db: Db
  /** The role that every caller must have. */
  role: Role
  /** The service that every caller must be allowed to use, by the name of its path prefix. */
  service: string
  now?: () => Date
  /** Milliseconds of a clock that is never set back. */
  monotonicMs?: () => number
}

/** Until when a consumer is let in by its API key, and as whom. */
type Admission = { untilMs: number; isPermitted: boolean; caller: Caller }

/** Wrong keys are looked up too, and anybody may send them: at most so many at once, on one connection. */
const keysPerLookupMax = 256
const lookupsMax = 1

/**
 * Finds who makes a request by its X-API-Key header alone, for a service that asks for nothing else.
 * What it knows of a consumer may be 1 s old, but never from before a change of its API key: what is kept under a key is
 * forgotten before the key is replaced, and a key that is not known is looked up each time.
 * Throws a Problem: 'not-authenticated' for whatever is wrong (absent, unknown, expired, disabled), 'not-permitted' when
 * the caller lacks the role or the service.
 * A caller of whom all is known is given at once, without a promise: that is nearly every request.
 */
export function createApiKeyAuthenticator({
  db,
  role,
  service,
  now = () => new Date(),
  monotonicMs = () => performance.now(),
}: ApiKeyAuthenticatorOptions): AuthenticateApiKey {
  const find = createGroupLookup({
    find: (hashes) => findConsumers(db, hashes),
    keysMax: keysPerLookupMax,
    lookupsMax,
  })
  // by the hash of the key: how long it takes to find one tells nothing of the key itself
  const consumers = createConsumerCache({ find, now, monotonicMs })

  // What a consumer may do is worked out once for each reading of its row, not for each request.
  const admissions = new WeakMap<Consumer, Admission>()
  function admissionOf(consumer: Consumer): Admission {
    let admission = admissions.get(consumer)
    if (!admission) {
      const { disabledAt, apiKeyExpiresOn, roles, services } = consumer
      admission = {
        untilMs: disabledAt === null ? endOfDayMs(apiKeyExpiresOn) : 0,
        isPermitted: roles.includes(role) && services.includes(service),
        caller: toCaller(consumer),
      }
      admissions.set(consumer, admission)
    }
    return admission
  }

  const isLive = (consumer: Consumer | undefined): consumer is Consumer =>
    consumer !== undefined && now().getTime() < admissionOf(consumer).untilMs

  function recallCaller(apiKeyHash: string): Caller | undefined {
    const known = consumers.recall(apiKeyHash)
    if (!isLive(known)) return undefined
    const { isPermitted, caller } = admissionOf(known)
    return isPermitted ? caller : undefined
  }

  async function findCaller(apiKeyHash: string): Promise<Caller> {
    const recent = await consumers.recent(apiKeyHash)
    // also when what is known says no: a consumer that was enabled a moment ago is let in at once
    const consumer = isLive(recent) ? recent : await consumers.read(apiKeyHash)
    if (!isLive(consumer)) throw refused()
    const { caller } = admissionOf(consumer)
    requireRole(caller, role)
    requireService(consumer, service)
    return caller
  }

  return ({ 'x-api-key': apiKey }) => {
    if (typeof apiKey !== 'string' || apiKey === '') return Promise.reject(refused())
    const apiKeyHash = hash('sha256', apiKey, 'hex')
    return recallCaller(apiKeyHash) ?? findCaller(apiKeyHash)
  }
}

async function findConsumers(
  db: Db,
  apiKeyHashes: readonly string[],
): Promise<ReadonlyMap<string, Consumer>> {
  const hashes = apiKeyHashes.map((apiKeyHash) => Buffer.from(apiKeyHash, 'hex'))
  const consumers = await findConsumersByApiKey(db, hashes)
  return new Map(consumers.map((consumer) => [consumer.apiKeyHash.toString('hex'), consumer]))
}

// Bland on purpose: it does not help to find out what was wrong.
function refused(): Problem {
  return new Problem('not-authenticated', 'API Key is either not provided, expired or invalid')
}
