import type { Db } from '@despatch/store/database'
import { type Made, movePrintJobs } from '@despatch/store/print-job/print-jobs'

/** What the stages add to a letter of one sheet. */
export const aMade: Made = {
  printableAddress: { line1: 'A', recipientLine1: 'B', recipientLine2: '', dps: null },
  documentSha256: 'ab'.repeat(32),
  documentBytes: 100,
  documentPages: 1,
  documentSheets: 1,
}

/** Moves print jobs from QUARANTINE to PENDING, as the stages do, each with what is special to it. */
export async function makePending(
  db: Db,
  ...printJobs: readonly { key: string; made?: Partial<Made> }[]
): Promise<void> {
  const released = printJobs.map(({ key }) => ({ key }))
  const accepted = printJobs.map(({ key, made }) => ({ key, made: { ...aMade, ...made } }))
  await db.transaction().execute(async (tx) => {
    await movePrintJobs(tx, released, 'release', { actor: 'quarantine' })
    await movePrintJobs(tx, accepted, 'accept', { actor: 'validate' })
  })
}
