import { isAbsent, statusOf } from './outage.ts'
import { encodePath, type ObjectAnswer, type ObjectRequest, refusal } from './s3-requests.ts'

type CopyOptions = {
  bucket: string
  /** Headers that say how the copy is encrypted. */
  encryption: Record<string, string>
  send(request: ObjectRequest): Promise<ObjectAnswer>
}

type Outcome = 'copied' | 'changed'

/** An ETag that no object has, so that a store which heeds the condition refuses the copy. */
const etagOfNothing = '"00000000000000000000000000000000"'
/** The trial copy is deleted at once. If the process ends before that, the trial of the next one does it. */
const trialKey = 'uploads/trial-of-conditional-copies'

/**
 * Returns a function that copies an object inside the store if it still has an ETag. Some stores, such as Ceph, ignore
 * the condition and copy whatever is there. The first copy finds out whether the store does. For such a store, the
 * bytes that belong to the ETag are read and written instead.
 */
export function createCopy({ bucket, encryption, send }: CopyOptions) {
  let heedsConditions: boolean | undefined

  async function copyWithin(from: string, key: string, etag: string): Promise<void> {
    const headers = {
      'x-amz-copy-source': encodePath(`${bucket}/${from}`),
      'x-amz-copy-source-if-match': etag,
      ...encryption,
    }
    const answer = await send({ method: 'PUT', key, headers })
    // a copy that fails after its beginning is answered 200, with an error in the body
    if ((await answer.body.text()).includes('<Error>')) throw refusal('InternalError', 500)
  }

  async function copyThrough(from: string, key: string, etag: string): Promise<Outcome> {
    const { headers, body } = await send({ method: 'GET', key: from })
    if (headers.etag !== etag) {
      // an unread body would keep the connection in use
      body.on('error', () => {}).destroy()
      return 'changed'
    }
    const bytes = new Uint8Array(await body.arrayBuffer())
    const type = String(headers['content-type'] ?? 'application/octet-stream')
    const written = await send({
      method: 'PUT',
      key,
      body: bytes,
      headers: { 'content-type': type, ...encryption },
    })
    await written.body.dump()
    return 'copied'
  }

  async function tryConditions(from: string): Promise<boolean> {
    try {
      await copyWithin(from, trialKey, etagOfNothing)
    } catch (error) {
      if (statusOf(error) === 412) return true
      throw error
    }
    const removed = await send({ method: 'DELETE', key: trialKey })
    await removed.body.dump()
    return false
  }

  return async (from: string, key: string, { etag }: { etag: string }): Promise<Outcome> => {
    try {
      heedsConditions ??= await tryConditions(from)
      if (!heedsConditions) return await copyThrough(from, key, etag)
      await copyWithin(from, key, etag)
      return 'copied'
    } catch (error) {
      if (statusOf(error) === 412 || isAbsent(error)) return 'changed'
      throw error
    }
  }
}
