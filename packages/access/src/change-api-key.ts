import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { transact } from '@despatch/postgres/transact'
import { insertAuditEvent } from '@despatch/store/access/audit-events'
import {
  abandonApiKeyChange,
  beginApiKeyChange,
  switchApiKey,
} from '@despatch/store/access/consumer-credentials'
import { findConsumer } from '@despatch/store/access/consumers'
import type { Db } from '@despatch/store/database'
import { apiKeyPrefix, generateApiKey, hashApiKey, isSameApiKey } from './api-keys.ts'
import { untilCachesExpire } from './consumer-cache.ts'
import { apiKeyLifeDays, dayAfter } from './expiry.ts'

/** A change takes little over a second. A process that died left behind a change of this age. */
export const apiKeyChangeOverdueSeconds = 60
const settlePausesMs = [0, 200, 1_000, 3_000]

type ApiKeyChangeOptions = {
  db: Db
  consumerId: string
  /**
   * SHA-256 of the key that the caller presented. Absent if an operator changes the key: any current key is replaced.
   */
  expectedHash?: Buffer
  /** Also ends the tokens of a consumer that presented its key. A change by an operator always ends them. */
  endTokens?: boolean | undefined
  actor: string
  now?: () => Date
  /** Called just before the switch. Returns false if nobody waits for the new key any more. */
  isWanted?: () => boolean
}

/**
 * - `under-way`: another change of this consumer's key has not ended.
 * - `refused`: the consumer does not exist, or with `expectedHash` it is disabled or has a different key by now.
 * - `unwanted`: `isWanted` returned false.
 */
export type ApiKeyChange =
  | { kind: 'changed'; apiKey: string; apiKeyExpiresOn: string }
  | { kind: 'under-way' | 'refused' | 'unwanted' }

/**
 * Gives a consumer a new API key, valid for 365 days. Only its hash and first characters are stored. Takes about 1.3 s.
 * Tokens stay valid, with the new key, if the consumer presented its key: the client of the specification keeps its token
 * until it expires. After a change by an operator they are refused.
 *
 * The switch is one commit, directly before the return. Until then the old key works in every process; from then on
 * only the new one does. To achieve this, the change is first registered in the consumer's row. Processes that read the
 * row from then on do not cache it. Processes that read it before forget it within `credentialCacheMs`, and the
 * function waits for that.
 *
 * Throws if the database fails. The old key then stays valid: the switch requires the registration, and the function
 * deletes the registration before it throws. The outcome is unknown only if the database is also unavailable for that
 * deletion. If the process dies between the commit and its response, the new key is lost, and an operator must create
 * another.
 */
export async function changeApiKey(options: ApiKeyChangeOptions): Promise<ApiKeyChange> {
  const { db, consumerId, expectedHash, actor, now = () => new Date() } = options
  const { isWanted = () => true, endTokens = false } = options
  const endsTokens = expectedHash === undefined || endTokens
  const change = { consumerId, changeId: randomUUID(), ...(expectedHash && { expectedHash }) }
  const start = { ...change, overdueSeconds: apiKeyChangeOverdueSeconds }
  if (!(await beginApiKeyChange(db, start))) return { kind: await whyNot(options) }

  const apiKey = generateApiKey()
  const apiKeyHash = hashApiKey(apiKey)
  const expiresOn = dayAfter(now(), apiKeyLifeDays)
  const changed = { kind: 'changed', apiKey, apiKeyExpiresOn: expiresOn } as const
  try {
    await untilCachesExpire()
    if (!isWanted()) {
      await abandonApiKeyChange(db, change)
      return { kind: 'unwanted' }
    }
    const isSwitched = await transact(db, async (tx) => {
      const key = { apiKeyHash, apiKeyPrefix: apiKeyPrefix(apiKey), expiresOn, endsTokens }
      if (!(await switchApiKey(tx, { ...change, ...key }))) return false
      const detail = { expiresOn, endsTokens }
      await insertAuditEvent(tx, { actor, action: 'api-key.changed', consumerId, detail })
      return true
    })
    if (isSwitched) return changed
    await abandonApiKeyChange(db, change)
    return { kind: 'refused' }
  } catch (error) {
    if (await settle(db, change, apiKeyHash)) return changed
    throw error
  }
}

async function whyNot({ db, consumerId, expectedHash }: ApiKeyChangeOptions) {
  const consumer = await findConsumer(db, consumerId)
  if (!consumer) return 'refused'
  if (!expectedHash) return 'under-way'
  const isEntitled = consumer.disabledAt === null && isSameApiKey(consumer.apiKeyHash, expectedHash)
  return isEntitled ? 'under-way' : 'refused'
}

/**
 * After an error, finds out whether the switch was committed, and if not, ensures that it never will be. Returns true
 * if it was committed. Throws if the database does not answer.
 */
async function settle(
  db: Db,
  change: { consumerId: string; changeId: string },
  apiKeyHash: Buffer,
): Promise<boolean> {
  let failure: unknown
  for (const pauseMs of settlePausesMs) {
    await setTimeout(pauseMs)
    try {
      if (await abandonApiKeyChange(db, change)) return false
      const consumer = await findConsumer(db, change.consumerId)
      return consumer !== undefined && isSameApiKey(consumer.apiKeyHash, apiKeyHash)
    } catch (error) {
      failure = error
    }
  }
  throw new Error('It is not known whether an API key was changed', { cause: failure })
}
