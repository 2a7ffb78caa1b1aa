import { unknownPrintJob } from '@despatch/contracts/administration/problems'
import { proofRefused } from '@despatch/contracts/print-request/problems'
import type { Caller } from '@despatch/domain/access/caller'
import type { DrawContext, Drawn } from '@despatch/letters/draw-letter'
import type { Db } from '@despatch/store/database'
import { recordLetterViewed } from '@despatch/store/print-job/letter-views'
import { findProofSourceByKey, type ProofSource } from '@despatch/store/print-job/proof'
import { actorOf } from './actor-of.ts'

export type OperatorDrawContext = DrawContext & { db: Db }

/**
 * Draws the letter of any print job for an operator, and records in the audit log that the operator viewed it. Throws a
 * Problem if there is no such print job or no letter to view. A letter that is not drawn is not recorded.
 */
export async function drawLetterForOperator<Shown>(
  db: Db,
  { printJobKey, caller }: { printJobKey: string; caller: Caller },
  draw: (source: ProofSource) => Promise<Drawn<Shown>>,
): Promise<Shown> {
  const source = await findProofSourceByKey(db, printJobKey)
  if (!source) throw unknownPrintJob(printJobKey)
  const drawn = await draw(source)
  if (drawn.kind !== 'drawn') throw proofRefused(printJobKey, drawn.kind)
  if (drawn.shown !== undefined) {
    await recordLetterViewed(db, { printJobKey, actor: actorOf(caller) })
  }
  return drawn.shown
}
