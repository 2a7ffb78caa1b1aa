import { Problem } from '@despatch/domain/problem'
import { uploadKey } from '@despatch/object-store/keys'
import type { ObjectStore } from '@despatch/object-store/object-store'
import { isUuid } from '@despatch/store/is-uuid'
import type { Submission } from '@despatch/store/print-job/submissions'

const headsAtOnceMax = 10

/**
 * Returns the first upload of a submission that the consumer never filled, or undefined. Throws a Problem for an upload
 * that is larger than `uploadBytesMax`.
 */
export async function findMissingUpload(
  { objects, uploadBytesMax }: { objects: ObjectStore; uploadBytesMax: number },
  submission: Submission,
): Promise<{ kind: 'upload-not-found'; uploadId: string } | undefined> {
  const uploads = submission.files.flatMap((file) => (file.source === 'upload' ? [file] : []))
  for (let first = 0; first < uploads.length; first += headsAtOnceMax) {
    const some = uploads.slice(first, first + headsAtOnceMax)
    const heads = await Promise.all(
      some.map(({ uploadId }) =>
        isUuid(uploadId) ? objects.head(uploadKey(uploadId)) : undefined,
      ),
    )
    for (const [offset, { uploadId }] of some.entries()) {
      const head = heads[offset]
      if (!head) return { kind: 'upload-not-found', uploadId }
      if (head.bytes > uploadBytesMax) {
        throw uploadTooLarge(first + offset, head.bytes, uploadBytesMax)
      }
    }
  }
}

function uploadTooLarge(index: number, bytes: number, bytesMax: number): Problem {
  const field = `fileParams[${index}].uploadId`
  const detail = `${field} names an upload of ${bytes} bytes; at most ${bytesMax} are allowed`
  return new Problem('invalid-field', detail, [{ field, code: 'Size', detail }])
}
