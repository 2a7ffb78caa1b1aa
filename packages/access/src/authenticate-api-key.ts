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
import { isFromItsNetworks, requireItsNetworks, type Source } from './require-networks.ts'

export type AuthenticateApiKey = (
  headers: IncomingHttpHeaders,
  source?: Source,
) => Caller | Promise<Caller>

type ApiKeyAuthenticatorOptions = {
  db: Db
  /** The role that every caller must have. */
  role: Role
  /** The service that every caller must be allowed to use, by the name of its path prefix. */
  service: string
  now?: () => Date
  /** Milliseconds of a monotonic clock. */
  monotonicMs?: () => number
}

/** The caller, and the time until which its API key is accepted. */
type Admission = { untilMs: number; isPermitted: boolean; caller: Caller }

/**
 * Anybody may send wrong keys, and each is looked up. These limits bound the look-ups: this many keys in one query, one
 * query at a time.
 */
const keysPerLookupMax = 256
const lookupsMax = 1

/**
 * Authenticates a request by its X-API-Key header alone, for a service that requires nothing else. Data about a
 * consumer may be 1 s old, but is never from before a change of its API key: the cache forgets a consumer before its
 * key is replaced, and an unknown key is looked up each time. Throws a Problem: 'not-authenticated' if the key is
 * absent, unknown, expired or its consumer is disabled; 'not-permitted' if the caller lacks the role or the service, or
 * calls from outside its networks.
 * Returns a cached caller synchronously, without a promise. Nearly every request takes this path.
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
  // Keyed by the hash of the API key, so that the time of a look-up reveals nothing about the key.
  const consumers = createConsumerCache({ find, now, monotonicMs })

  // The permissions of a consumer are computed once per read of its row, not per request.
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

  function recallCaller(apiKeyHash: string, source: Source | undefined): Caller | undefined {
    const known = consumers.recall(apiKeyHash)
    if (!isLive(known) || !isFromItsNetworks(known, source, role)) return undefined
    const { isPermitted, caller } = admissionOf(known)
    return isPermitted ? caller : undefined
  }

  async function findCaller(apiKeyHash: string, source: Source | undefined): Promise<Caller> {
    const recent = await consumers.recent(apiKeyHash)
    // Read again also when the cached consumer is refused: a consumer that was enabled a moment ago is admitted at
    // once.
    const consumer = isLive(recent) ? recent : await consumers.read(apiKeyHash)
    if (!isLive(consumer)) throw refused()
    requireItsNetworks(consumer, source, role)
    const { caller } = admissionOf(consumer)
    requireRole(caller, role)
    requireService(consumer, service)
    return caller
  }

  return ({ 'x-api-key': apiKey }, source) => {
    if (typeof apiKey !== 'string' || apiKey === '') return Promise.reject(refused())
    const apiKeyHash = hash('sha256', apiKey, 'hex')
    return recallCaller(apiKeyHash, source) ?? findCaller(apiKeyHash, source)
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

// Deliberately vague: the message must not reveal what was wrong.
function refused(): Problem {
  return new Problem('not-authenticated', 'API Key is either not provided, expired or invalid')
}
