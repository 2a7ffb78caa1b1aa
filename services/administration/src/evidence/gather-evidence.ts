import {
  type CallbackSummaryWithLogResponse,
  callbackSummaryWithLogSchema,
} from '@despatch/contracts/administration/callback'
import {
  type PrintJobDetailsResponse,
  printJobDetailsSchema,
} from '@despatch/contracts/administration/print-job'
import { unknownPrintJob } from '@despatch/contracts/administration/problems'
import { renderAnswer } from '@despatch/http/stored-answers'
import type { Db } from '@despatch/store/database'
import { findProofSourceByKey, type ProofSource } from '@despatch/store/print-job/proof'
import { readSnapshot } from '@despatch/store/read-snapshot'
import { getCallbackSummaryWithLog } from '../callback/callbacks.ts'
import { getPrintJobDetails } from '../print-job/details.ts'
import { type PrintingFacts, readPrintingFacts } from './printing-facts.ts'

/** What the database contains about a print job. */
export type Evidence = {
  printJob: PrintJobDetailsResponse
  /** In the order in which they became owed. */
  callbacks: CallbackSummaryWithLogResponse[]
  printing: PrintingFacts
  source: Pick<ProofSource, 'isPurged' | 'document' | 'unstoredPdf' | 'files' | 'findings'>
}

/**
 * Reads everything that the database contains about a print job, in one snapshot. Throws a Problem if there is no such
 * print job.
 */
export async function gatherEvidence(db: Db, printJobKey: string): Promise<Evidence> {
  return readSnapshot(db, ['print_job_event'], async (tx) => {
    const printJob = renderAnswer(printJobDetailsSchema, await getPrintJobDetails(tx, printJobKey))
    const found = await findProofSourceByKey(tx, printJobKey)
    if (!found) throw unknownPrintJob(printJobKey)
    const { isPurged } = found
    const source = isPurged
      ? { isPurged, document: null, unstoredPdf: null, files: [], findings: [] }
      : found
    const callbacks: CallbackSummaryWithLogResponse[] = []
    for (const { callbackId } of printJob.callbacks.toReversed()) {
      const callback = await getCallbackSummaryWithLog(tx, callbackId)
      callbacks.push(renderAnswer(callbackSummaryWithLogSchema, callback))
    }
    const printing = await readPrintingFacts(tx, { printJobKey, isPurged })
    return { printJob, callbacks, printing, source }
  })
}
