import type { Unreassignable } from '@despatch/store/print-run/reassign'
import { printRunConflict, printRunNotFound, printRunRefusal } from './print-runs.ts'

/** Returns the problem of a reassignment, or of its count, that is possible to no site. */
export function unreassignable(batchNumber: string, refused: Unreassignable): Error {
  switch (refused.kind) {
    case 'absent':
      return printRunNotFound(batchNumber)
    case 'not-movable':
      return printRunRefusal(refused.run, refused.whyNot)
    case 'empty':
      return printRunConflict(`Print run ${batchNumber} has no documents left to reassign`)
    case 'asked-back':
      return printRunConflict(
        `The remaining documents of print run ${batchNumber} are being recalled. Settle the recall first: ${refused.recallIds.map(settleCommand).join(', ')}`,
      )
  }
}

function settleCommand(recallId: string): string {
  return `npx despatch runs settle-recall ${recallId} --note <text> --too-late <documentId>... or --all-stopped`
}
