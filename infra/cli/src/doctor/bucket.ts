import { randomUUID } from 'node:crypto'
import { objectStoreSettings } from '@despatch/config/shared-settings'
import { uploadKey } from '@despatch/object-store/keys'
import { type ObjectStore, openObjectStore } from '@despatch/object-store/object-store'
import { objectStoreFrom } from '@despatch/object-store/settings'
import { type Check, type Finding, reasonWithoutSecrets } from './finding.ts'

const subject = 'object store'
const required = ['S3_ENDPOINT', 'S3_BUCKET', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'] as const
const steps = ['put', 'get', 'delete'] as const
const probeBytesMax = 1_024

export type BucketFacts =
  | { kind: 'allowed' }
  | { kind: 'failed'; step: (typeof steps)[number]; reason: string }

/**
 * Checks whether the access key may write, read and delete in the bucket, with a probe object that is deleted
 * afterwards.
 */
export const checkBucket: Check = async ({ environment }) => {
  const missing = required.filter((name) => !environment[name])
  if (missing.length > 0) return [judgeMissing(missing)]
  try {
    const objects = openObjectStore(
      objectStoreFrom({
        S3_ENDPOINT: environment.S3_ENDPOINT!,
        S3_BUCKET: environment.S3_BUCKET!,
        S3_ACCESS_KEY_ID: environment.S3_ACCESS_KEY_ID!,
        S3_SECRET_ACCESS_KEY: environment.S3_SECRET_ACCESS_KEY!,
        S3_REGION: objectStoreSettings.S3_REGION.parse(environment.S3_REGION || undefined),
      }),
    )
    const facts = await probe(objects).finally(() => objects.close())
    return [judgeBucket(facts)]
  } catch (error) {
    return [judgeBucket({ kind: 'failed', step: 'put', reason: reasonWithoutSecrets(error) })]
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

/** If no setting is present, the services do not run here. If only some are, the services would not start. */
export function judgeMissing(missing: readonly string[]): Finding {
  if (missing.length === required.length) {
    return { subject, state: 'skipped', found: 'the S3_ settings are not set here' }
  }
  const found = `${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} missing`
  return {
    subject,
    state: 'bad',
    found,
    mend: 'set them as described in docs/configuration.md',
  }
}
