import type { Composers } from '@despatch/composer/composers'
import type { Places } from '@despatch/composer/places'
import { WallBroken } from '@despatch/composer/walls'
import { isPrintJobId } from '@despatch/contracts/print-request/print-job-request'
import {
  printJobNotFound,
  proofNotReady,
  proofPurged,
  proofTooComplex,
} from '@despatch/contracts/print-request/problems'
import type { LetterToShow } from '@despatch/documents/letter-proof'
import type { ObjectStore } from '@despatch/object-store/object-store'
import type { Db } from '@despatch/store/database'
import { findProofSource, type ProofSource } from '@despatch/store/print-job/proof'
import { inPlace } from './in-place.ts'
import { readLetter } from './read-letter.ts'

export type ShowContext = {
  db: Db
  objects: ObjectStore
  /** Bounds how many letters are held and drawn at the same time. */
  places: Places
  composers: Pick<Composers, 'letterProof' | 'letterProofPage'>
}

type Reply = { header(name: string, value: string): unknown }

/**
 * Draws the letter of a consumer's own print job. Throws a Problem when there is none, or it is still being checked or has been purged, or the
 * letter is one that takes too much to draw.
 */
export async function showLetter<Shown>(
  { db, objects, places }: ShowContext,
  { consumerId, jobId, reply }: { consumerId: string; jobId: string; reply: Reply },
  draw: (letter: LetterToShow) => Promise<Shown>,
): Promise<Shown> {
  const source = await findSource(db, consumerId, jobId)
  try {
    return await inPlace(places, reply, async () => draw(await readLetter(objects, source)))
  } catch (error) {
    throw error instanceof WallBroken ? proofTooComplex() : error
  }
}

async function findSource(db: Db, consumerId: string, jobId: string): Promise<ProofSource> {
  const source = isPrintJobId(jobId) ? await findProofSource(db, consumerId, jobId) : undefined
  if (!source) throw printJobNotFound(jobId)
  if (source.isPurged) throw proofPurged(jobId)
  if (source.status === 'QUARANTINE' || source.status === 'VALIDATING') throw proofNotReady(jobId)
  return source
}

/** Of an answer that shows a letter: nobody on the way keeps it, and nobody takes it for something else. */
export function shownAs(contentType: string) {
  return {
    'content-type': contentType,
    'cache-control': 'private, no-store',
    'x-content-type-options': 'nosniff',
  }
}
