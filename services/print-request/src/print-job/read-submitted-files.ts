import { uploadNotFound } from '@despatch/contracts/print-request/problems'
import type { InlineFile } from '@despatch/documents/inline-file'
import { Problem } from '@despatch/domain/problem'
import { uploadKey } from '@despatch/object-store/keys'
import type { ObjectStore } from '@despatch/object-store/object-store'
import type { Submission } from '@despatch/store/print-job/submissions'

export type SubmittedBytes = { fileId: string; bytes: Uint8Array }

/** The limit for all files of one dry run together, because they are in memory at the same time. */
const bytesTogetherMax = 100 * 1024 * 1024

/**
 * Returns the files of a submission in its order: uploads from the object store, the others from the request. Throws a
 * Problem if an upload is missing, or if the files are larger than 100 MiB together.
 */
export async function readSubmittedFiles(
  {
    objects,
    uploadBytesMax,
    signal,
  }: { objects: ObjectStore; uploadBytesMax: number; signal: AbortSignal },
  submission: Submission,
  inlineFiles: readonly InlineFile[],
): Promise<SubmittedBytes[]> {
  const inline = new Map(inlineFiles.map(({ sha256, bytes }) => [sha256, bytes]))
  const files: SubmittedBytes[] = []
  let bytesTogether = 0
  for (const file of submission.files) {
    const bytes =
      file.source === 'upload'
        ? (await objects.get(uploadKey(file.uploadId), { bytesMax: uploadBytesMax, signal }))?.bytes
        : inline.get(file.sha256)
    if (!bytes) throw uploadNotFound(file.source === 'upload' ? file.uploadId : file.fileId)
    bytesTogether += bytes.length
    if (bytesTogether > bytesTogetherMax) {
      const detail = `The files are larger than ${bytesTogetherMax} bytes together, which is too large for a dry run`
      throw new Problem('body-too-large', detail)
    }
    files.push({ fileId: file.fileId, bytes })
  }
  return files
}
