import type { PrintRunState } from '@despatch/domain/print-run/state'
import { Problem } from '@despatch/domain/problem'
import type { Db } from '@despatch/store/database'
import { findPrintRunDetails, type PrintRunDetails } from '@despatch/store/print-run/details'

/** Returns a print run. Throws a Problem if there is none. */
export async function requirePrintRun(db: Db, batchNumber: string): Promise<PrintRunDetails> {
  const run = await findPrintRunDetails(db, batchNumber)
  if (!run) throw printRunNotFound(batchNumber)
  return run
}

export function printRunNotFound(batchNumber: string): Problem {
  return new Problem('print-run-not-found', `There is no print run ${batchNumber}`)
}

/** Returns the Problem of an action that the state of the print run does not allow. */
export function printRunRefusal(
  { batchNumber, state }: { batchNumber: string; state: PrintRunState },
  whyNot: string,
): Problem {
  return printRunConflict(`Print run ${batchNumber} is ${state}: ${whyNot}`)
}

export function printRunConflict(detail: string): Problem {
  return new Problem('print-run-conflict', detail)
}
