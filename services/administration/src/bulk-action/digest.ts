import { createHash } from 'node:crypto'
import type { BulkActionKind } from '@despatch/domain/bulk-action/bulk-action'

/**
 * Returns the SHA-256 of what the confirming operator has seen: the action and the keys in alphabetical order, one per
 * line.
 */
export function bulkActionDigest(action: BulkActionKind, printJobKeys: readonly string[]): string {
  return createHash('sha256')
    .update([action, ...printJobKeys.toSorted()].join('\n'))
    .digest('hex')
}
