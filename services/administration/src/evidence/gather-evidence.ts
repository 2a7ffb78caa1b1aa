import type { ShownOverseenCallbackResponse } from '@despatch/contracts/administration/callback'
import type { ShownPrintJobResponse } from '@despatch/contracts/administration/print-job'
import { unknownPrintJob } from '@despatch/contracts/administration/problems'
import type { Db } from '@despatch/store/database'
import { findAnyProofSource, type ProofSource } from '@despatch/store/print-job/proof'
import { getOverseenCallback } from '../get-overseen-callback.ts'
import { showAnyPrintJob } from '../show-any-print-job.ts'
import { type PrintingFacts, readPrintingFacts } from './printing-facts.ts'

/** What the database contains about a print job. */
export type Evidence = {
  printJob: ShownPrintJobResponse
  /** In the order in which they became owed. */
  callbacks: ShownOverseenCallbackResponse[]
  printing: PrintingFacts
  source: Pick<ProofSource, 'isPurged' | 'document' | 'files' | 'findings'>
}

/**
 * Reads everything that is stored about a print job, as of one moment. Throws a Problem if there is no such print job.
 */
export async function gatherEvidence(db: Db, printJobKey: string): Promise<Evidence> {
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (tx) => {
      const printJob = await showAnyPrintJob(tx, printJobKey)
      const found = await findAnyProofSource(tx, printJobKey)
      if (!found) throw unknownPrintJob(printJobKey)
      const { isPurged } = found
      const source = isPurged ? { isPurged, document: null, files: [], findings: [] } : found
      const callbacks: ShownOverseenCallbackResponse[] = []
      for (const { callbackId } of printJob.callbacks.toReversed()) {
        callbacks.push(await getOverseenCallback(tx, callbackId))
      }
      const printing = await readPrintingFacts(tx, { printJobKey, isPurged })
      return { printJob, callbacks, printing, source }
    })
}
