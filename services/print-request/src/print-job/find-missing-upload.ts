import { uploadNotFound } from '@despatch/contracts/print-request/problems'
import { Problem } from '@despatch/domain/problem'
import { uploadKey } from '@despatch/object-store/keys'
import type { ObjectStore } from '@despatch/object-store/object-store'
import type { Db } from '@despatch/store/database'
import { isUuid } from '@despatch/store/is-uuid'
import type { Submission } from '@despatch/store/print-job/submissions'
import {
  explainUnusableUpload,
  findOversizedBytes,
  markOversized,
} from '@despatch/store/print-job/uploads'

const headsAtOnceMax = 10

type UploadContext = { db: Db; objects: ObjectStore; uploadBytesMax: number }

/**
 * Returns the first upload of a submission that the consumer never filled, or undefined. Throws a Problem for an upload
 * that is larger than `uploadBytesMax`, and deletes its bytes.
 */
export async function findMissingUpload(
  context: UploadContext,
  submission: Submission,
): Promise<{ kind: 'upload-not-found'; uploadId: string } | undefined> {
  const uploads = submission.files.flatMap((file) => (file.source === 'upload' ? [file] : []))
  for (let first = 0; first < uploads.length; first += headsAtOnceMax) {
    const some = uploads.slice(first, first + headsAtOnceMax)
    const heads = await Promise.all(
      some.map(({ uploadId }) =>
        isUuid(uploadId) ? context.objects.head(uploadKey(uploadId)) : undefined,
      ),
    )
    for (const [offset, { uploadId }] of some.entries()) {
      const bytes = heads[offset]?.bytes
      if (bytes !== undefined && bytes <= context.uploadBytesMax) continue
      const upload = { id: uploadId, consumerId: submission.consumerId }
      const oversized = await findOversized(context, upload, bytes)
      if (oversized === undefined) return { kind: 'upload-not-found', uploadId }
      throw uploadTooLarge(first + offset, oversized, context.uploadBytesMax)
    }
  }
}

/**
 * Returns the size of an upload of this consumer that is too large. `bytes` is its present size: it is deleted. Without
 * it, the upload may have been deleted for that reason before.
 */
async function findOversized(
  { db, objects }: UploadContext,
  { id, consumerId }: { id: string; consumerId: string },
  bytes: number | undefined,
): Promise<number | undefined> {
  if (!isUuid(id)) return undefined
  if (bytes === undefined) return findOversizedBytes(db, { id, consumerId })
  const own = await markOversized(db, [{ id, bytes }], { consumerId })
  if (own.size === 0) return undefined
  await objects.remove(uploadKey(id))
  return bytes
}

function uploadTooLarge(index: number, bytes: number, bytesMax: number): Problem {
  const field = `fileParams[${index}].uploadId`
  const detail = `${field} names an upload of ${bytes} bytes; at most ${bytesMax} are allowed`
  return new Problem('invalid-field', detail, [{ field, code: 'Size', detail }])
}

/** Returns the problem of an upload that a print job of this consumer cannot use. Its detail tells the owner why. */
export async function refuseUpload(
  db: Db,
  { uploadId, consumerId }: { uploadId: string; consumerId: string },
): Promise<Problem> {
  if (!isUuid(uploadId)) return uploadNotFound(uploadId)
  return uploadNotFound(uploadId, await explainUnusableUpload(db, { id: uploadId, consumerId }))
}
