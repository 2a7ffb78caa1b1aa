import { transact } from '@despatch/postgres/transact'
import { insertAuditEvent } from '@despatch/store/access/audit-events'
import type { Db } from '@despatch/store/database'
import { holdPrintJob } from '@despatch/store/print-job/hold'

/** The actor of holds from the command line, in timelines and in the audit. */
const actor = 'command-line'

export const holdThem = 'stop the services and give --hold-printed "<reason>": it holds the letter'

/** Holds a letter that a provider has printed and that could be printed again. Returns why if that is not possible. */
export async function holdPrintedLetter(
  db: Db,
  printJobKey: string,
  reason: string,
): Promise<'held' | { whyNot: string }> {
  return transact(db, async (tx) => {
    const outcome = await holdPrintJob(tx, { key: printJobKey }, { actor, reason })
    if (outcome.kind === 'absent') return { whyNot: 'It does not exist.' }
    if (outcome.kind === 'refused') return { whyNot: outcome.whyNot }
    const { consumerId, id: printJobId } = outcome.printJob
    await insertAuditEvent(tx, {
      actor,
      action: 'print-job.held',
      consumerId,
      detail: { printJobKey, printJobId, reason },
    })
    return 'held'
  })
}
