import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { insertAuditEvent } from '@despatch/store/access/audit-events'
import {
  abandonApiKeyChange,
  beginApiKeyChange,
  switchApiKey,
} from '@despatch/store/access/consumer-credentials'
import { findConsumer } from '@despatch/store/access/consumers'
import type { Db } from '@despatch/store/database'
import { transact } from '@despatch/store/transact'
import { apiKeyPrefix, generateApiKey, hashApiKey, isSameApiKey } from './api-keys.ts'
import { credentialCacheMs } from './consumer-cache.ts'
import { apiKeyLifeDays, dayAfter } from './expiry.ts'

/** What clocks may run apart, and timers early, while every cache is waited for. */
const marginMs = 250
/** A change takes little over a second: one that is this old was left behind by a process that died. */
export const apiKeyChangeOverdueSeconds = 60
const settlePausesMs = [0, 200, 1_000, 3_000]

export type ApiKeyChangeOptions = {
  db: Db
  consumerId: string
  /** SHA-256 of the key that the caller has shown. Absent: an operator changes it, whatever it is. */
  expectedHash?: Buffer
  actor: string
  now?: () => Date
  /** Asked just before the switch: false when nobody waits for the new key any more. */
  isWanted?: () => boolean
}

/**
 * `under-way`: another change of this consumer's key has not ended.
 * `refused`: there is no such consumer, or with `expectedHash` it is disabled or its key is another one by now.
 * `unwanted`: `isWanted` said no.
 */
export type ApiKeyChange =
  | { kind: 'changed'; apiKey: string; apiKeyExpiresOn: string }
  | { kind: 'under-way' | 'refused' | 'unwanted' }

/**
 * Gives a consumer a new API key, good for 365 days. Only its hash and first characters are kept. Takes about 1.3 s.
 *
 * The switch is one commit, and the last thing before the return: until then the old key works in every process, from then
 * on the new one. For that, the change is named in the consumer's row first. Processes that read the row from then on do
 * not keep it, and those that read it before have forgotten it after `credentialCacheMs`, which is waited for.
 *
 * Throws when the database fails. The old key is then still valid, for the change's name is taken away before the error
 * goes out and the switch wants it; only when the database stays away at that very moment is the outcome unknown. A process
 * that dies between the commit and its answer loses the new key: an operator gives another.
 */
export async function changeApiKey(options: ApiKeyChangeOptions): Promise<ApiKeyChange> {
  const { db, consumerId, expectedHash, actor, now = () => new Date() } = options
  const { isWanted = () => true } = options
  const change = { consumerId, changeId: randomUUID(), ...(expectedHash && { expectedHash }) }
  const start = { ...change, overdueSeconds: apiKeyChangeOverdueSeconds }
  if (!(await beginApiKeyChange(db, start))) return { kind: await whyNot(options) }

  const apiKey = generateApiKey()
  const apiKeyHash = hashApiKey(apiKey)
  const expiresOn = dayAfter(now(), apiKeyLifeDays)
  const changed = { kind: 'changed', apiKey, apiKeyExpiresOn: expiresOn } as const
  try {
    await setTimeout(credentialCacheMs + marginMs)
    if (!isWanted()) {
      await abandonApiKeyChange(db, change)
      return { kind: 'unwanted' }
    }
    const isSwitched = await transact(db, async (tx) => {
      const key = { apiKeyHash, apiKeyPrefix: apiKeyPrefix(apiKey), expiresOn }
      if (!(await switchApiKey(tx, { ...change, ...key }))) return false
      const detail = { expiresOn }
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
 * Finds out after an error whether the switch was committed, and if not, makes sure that it never will be.
 * Throws when the database does not answer.
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
