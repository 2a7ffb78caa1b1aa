import { isPrintJobId } from '@despatch/contracts/print-request/print-job-request'
import { printJobNotFound, proofRefused } from '@despatch/contracts/print-request/problems'
import type { DrawContext, Drawn } from '@despatch/letters/draw-letter'
import type { Db } from '@despatch/store/database'
import { findProofSource, type ProofSource } from '@despatch/store/print-job/proof'

export type OwnDrawContext = DrawContext & { db: Db }

/**
 * Draws the letter of a consumer's own print job. Throws a Problem if there is none, if it is still being checked, if
 * it has been purged, or if the letter takes too much to draw.
 */
export async function drawOwnLetter<Shown>(
  db: Db,
  { consumerId, jobId }: { consumerId: string; jobId: string },
  draw: (source: ProofSource) => Promise<Drawn<Shown>>,
): Promise<Shown> {
  const drawn = await draw(await findOwnLetter(db, { consumerId, jobId }))
  if (drawn.kind !== 'drawn') throw proofRefused(jobId, drawn.kind)
  return drawn.shown
}

/** Finds what a consumer's own letter is made of. Throws a Problem if there is no such print job. */
export async function findOwnLetter(
  db: Db,
  { consumerId, jobId }: { consumerId: string; jobId: string },
): Promise<ProofSource> {
  const source = isPrintJobId(jobId) ? await findProofSource(db, consumerId, jobId) : undefined
  if (!source) throw printJobNotFound(jobId)
  return source
}
