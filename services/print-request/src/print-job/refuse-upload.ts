import { uploadNotFound } from '@despatch/contracts/print-request/problems'
import type { Problem } from '@despatch/domain/problem'
import type { Db } from '@despatch/store/database'
import { isUuid } from '@despatch/store/is-uuid'
import { explainUnusableUpload } from '@despatch/store/print-job/uploads'

/** Returns the problem of an upload that a print job of this consumer cannot use. Its detail tells the owner why. */
export async function refuseUpload(
  db: Db,
  { uploadId, consumerId }: { uploadId: string; consumerId: string },
): Promise<Problem> {
  if (!isUuid(uploadId)) return uploadNotFound(uploadId)
  return uploadNotFound(uploadId, await explainUnusableUpload(db, { id: uploadId, consumerId }))
}
