import { createHash } from 'node:crypto'
import type { BulkActionKind } from '@despatch/domain/bulk-action/bulk-action'

/** What whoever confirms a bulk action has seen, as one SHA-256: the action and the keys in their order by letter, a line each. */
export function bulkActionDigest(action: BulkActionKind, printJobKeys: readonly string[]): string {
  return createHash('sha256')
    .update([action, ...printJobKeys.toSorted()].join('\n'))
    .digest('hex')
}
