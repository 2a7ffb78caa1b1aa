import { isPrintJobId } from '@despatch/contracts/print-request/print-job-request'
import { printJobActionRefused, printJobNotFound } from '@despatch/contracts/print-request/problems'
import type { Db, Tx } from '@despatch/store/database'
import type { ActionOutcome } from '@despatch/store/print-job/lock'
import { transact } from '@despatch/store/transact'

type OwnPrintJob = { consumerId: string; id: string }

/**
 * Runs an action on a consumer's own print job in one transaction. Throws a Problem if the consumer has no such print
 * job, or if the action is not possible now.
 */
export async function actOnOwnPrintJob(
  db: Db,
  ref: OwnPrintJob,
  act: (tx: Tx, ref: OwnPrintJob) => Promise<ActionOutcome>,
): Promise<void> {
  if (!isPrintJobId(ref.id)) throw printJobNotFound(ref.id)
  const outcome = await transact(db, (tx) => act(tx, ref))
  if (outcome.kind === 'absent') throw printJobNotFound(ref.id)
  if (outcome.kind === 'refused') throw printJobActionRefused(outcome.whyNot)
}
