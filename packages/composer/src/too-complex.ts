import { detectMediaType } from '@despatch/documents/file-signature'
import type { Allowed, Finding } from '@despatch/domain/preflight/finding'
import type { TaskLimitExceeded, TaskLimits } from './task-limits.ts'

const mebibyte = 1024 * 1024

/**
 * Returns the finding for a letter that exceeded a resource limit: P108 for time; for memory P302 if a file is an image,
 * otherwise P209.
 */
export function tooComplex(
  { limit, fileIndex }: Pick<TaskLimitExceeded, 'limit' | 'fileIndex'>,
  files: readonly { fileId: string; bytes: Uint8Array }[],
  { fileMs, pageMs, taskMs, memoryBytes }: TaskLimits,
): Finding {
  const file = fileIndex === undefined ? undefined : files[fileIndex]
  const limits = {
    'file-time': {
      allowed: seconds(fileMs),
      says: `takes more than ${fileMs / 1000} seconds of processor time, and ${pageMs / 1000} seconds for each of its pages, to check`,
    },
    'task-time': {
      allowed: seconds(taskMs),
      says: `takes more than ${taskMs / 1000} seconds of processor time to check and compose`,
    },
    memory: {
      allowed: { unit: 'bytes', max: memoryBytes },
      says: `takes more than ${memoryBytes / mebibyte} MiB of memory to check and compose`,
    },
  } satisfies Record<TaskLimitExceeded['limit'], { allowed: Allowed; says: string }>
  const { allowed, says } = limits[limit]
  const isImage = file !== undefined && detectMediaType(file.bytes) !== 'application/pdf'
  return {
    rule: limit !== 'memory' ? 'file-time' : isImage ? 'image-too-large' : 'pdf-too-complex',
    severity: 'refusal',
    ...(file && { fileId: file.fileId }),
    allowed,
    detail: file ? `File ${file.fileId} ${says}.` : `The letter ${says}.`,
  }
}

function seconds(ms: number): Allowed {
  return { unit: 's', max: ms / 1000 }
}
