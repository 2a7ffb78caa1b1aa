import { randomUUID } from 'node:crypto'
import { readConfig } from '@despatch/config/read-config'
import { objectStoreSettings } from '@despatch/config/shared-settings'
import { uploadKey } from '@despatch/object-store/keys'
import {
  type ObjectStore,
  type ObjectStoreSettings,
  openObjectStore,
} from '@despatch/object-store/object-store'
import { objectStoreFrom } from '@despatch/object-store/settings'
import { z } from 'zod'
import { type Check, type Finding, reasonWithoutSecrets } from './finding.ts'

const subject = 'object store'
const names = Object.keys(objectStoreSettings)
const steps = ['put', 'get', 'delete'] as const
const probeBytesMax = 1_024

type BucketFacts =
  | { kind: 'allowed' }
  | { kind: 'failed'; step: (typeof steps)[number]; reason: string }

/**
 * Checks whether the access key may write, read and delete in the bucket, with a probe object that is deleted
 * afterwards.
 */
export const checkBucket: Check = async ({ environment }) => {
  if (!names.some((name) => environment[name])) {
    return [{ subject, state: 'skipped', found: 'the S3_ settings are not set here' }]
  }
  let settings: ObjectStoreSettings
  try {
    settings = objectStoreFrom(readConfig(z.object(objectStoreSettings), environment))
  } catch (error) {
    return [judgeSettings((error as Error).message)]
  }
  const objects = openObjectStore(settings)
  try {
    return [judgeBucket(await probe(objects))]
  } finally {
    objects.close()
  }
}

/** Does what the services do, with a key that no upload can have. */
async function probe(objects: ObjectStore): Promise<BucketFacts> {
  const key = uploadKey(`probe-${randomUUID()}`)
  const actions = {
    put: () => objects.put(key, Buffer.from('a probe of despatch doctor'), 'text/plain'),
    get: async () => {
      if (!(await objects.get(key, { bytesMax: probeBytesMax }))) throw new Error('NotThere')
    },
    delete: async () => {
      const [refused] = await objects.removeTogether([key])
      if (refused) throw new Error(refused.code)
    },
  }
  let failed: BucketFacts | undefined
  for (const step of steps) {
    try {
      await actions[step]()
    } catch (error) {
      failed ??= { kind: 'failed', step, reason: reasonWithoutSecrets(error) }
      if (step === 'put') break
    }
  }
  return failed ?? { kind: 'allowed' }
}

export function judgeBucket(facts: BucketFacts): Finding {
  if (facts.kind === 'allowed') {
    return { subject, state: 'good', found: 'a probe object was stored, read and deleted' }
  }
  const { step, reason } = facts
  const found = `a probe object could not be ${{ put: 'stored', get: 'read', delete: 'deleted' }[step]} (${reason})`
  const action = { put: 's3:PutObject', get: 's3:GetObject', delete: 's3:DeleteObject' }[step]
  const mend = `check that S3_ENDPOINT responds and S3_BUCKET exists, and allow the access key to ${action} in it`
  return { subject, state: 'bad', found, mend }
}

/** Services would not start with these settings. */
function judgeSettings(message: string): Finding {
  const mend = 'set them as described in docs/configuration.md'
  return { subject, state: 'bad', found: message.replaceAll('\n', '; '), mend }
}
