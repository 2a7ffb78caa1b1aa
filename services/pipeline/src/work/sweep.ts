import type { ObjectStore } from '@despatch/object-store/object-store'
import type { Db } from '@despatch/store/database'
import { letterKind } from '@despatch/store/print-job/letter-kind'
import { recoverLostWork } from '@despatch/store/print-job/recover-lost'
import { deleteUploads, listExpiredUploads } from '@despatch/store/print-job/uploads'
import { wakeWaitingWork } from '@despatch/work/later'
import type { Outages } from '../watch/outages.ts'
import { createUploadWalk, removeUploads } from './upload-walk.ts'

const stepsMax = 500
/** The limit of print jobs woken for a dependency that answers probes but has not served a letter yet. */
const triedMax = 10
/** The limit of S3 for one request. */
const uploadsMax = 1_000
const recoverEveryMs = 60 * 60_000
/** A print job untouched for this long, without a place in the waiting work, has lost it. */
const untouchedSeconds = 60

export type SweepOptions = {
  db: Db
  objects: Pick<ObjectStore, 'removeTogether' | 'listWithTimes'>
  uploadBytesMax: number
  outages: Pick<Outages, 'watches' | 'unlessAway'>
  nudgeScheduler: () => void
  /** Called with what a pass found. */
  onFound: (what: SweepFinding, count: number) => void
  clock?: () => number
  now?: () => Date
}

/**
 * `step`: a print job whose worker died, or that had lost its place. `upload`: an upload that no print job used.
 * `oversized-upload`: an upload larger than the limit. `orphaned-upload`: the bytes of an upload that no row names.
 */
export const sweepFindings = ['step', 'upload', 'oversized-upload', 'orphaned-upload'] as const
export type SweepFinding = (typeof sweepFindings)[number]

/**
 * Returns the pass that wakes print jobs whose dependency is back. It also removes uploads that no print job used, and looks for uploads that are too large or without a row, a page at a time. Its first pass, and one each
 * hour, also finds print jobs that have lost their place in the waiting work.
 */
export function createSweep(options: SweepOptions): () => Promise<'again' | 'idle'> {
  const { db, nudgeScheduler, onFound, clock = () => performance.now() } = options
  const walkUploads = createUploadWalk(options)
  let recoveredAtMs = Number.NEGATIVE_INFINITY
  return async () => {
    const returned = await wakeWaiting(options)
    if (returned !== 'none') nudgeScheduler()
    const uploads = await clearUploads(options)
    const recovered = await recover()
    await walkUploads()
    const isMore = returned === 'some' || recovered === stepsMax || uploads === uploadsMax
    return isMore ? 'again' : 'idle'
  }

  /**
   * Runs late in a pass, and is not repeated at once if it fails, because it reads many letters and may take too long.
   */
  async function recover(): Promise<number> {
    if (clock() - recoveredAtMs < recoverEveryMs) return 0
    recoveredAtMs = clock()
    const recovered = await recoverLostWork(db, { lettersMax: stepsMax, untouchedSeconds })
    if (recovered === stepsMax) recoveredAtMs = Number.NEGATIVE_INFINITY
    if (recovered > 0) nudgeScheduler()
    onFound('step', recovered)
    return recovered
  }
}

/**
 * Wakes the print jobs that wait for a dependency that is up. Returns 'some' if there may be more; 'tried' if all that
 * were woken try a dependency that has not served a letter yet.
 */
async function wakeWaiting({ db, outages }: SweepOptions): Promise<'none' | 'tried' | 'some'> {
  let woken: 'none' | 'tried' | 'some' = 'none'
  for (const watch of outages.watches) {
    if (!watch.isUp()) continue
    const isTried = watch.isHalfOpen()
    const count = await wakeWaitingWork(
      db,
      letterKind,
      watch.dependency,
      isTried ? triedMax : stepsMax,
    )
    if (count > 0 && woken !== 'some') woken = isTried ? 'tried' : 'some'
  }
  return woken
}

/** Removes uploads that no print job used. Returns their number, or 'away' if the object store is away. */
async function clearUploads({ db, objects, outages, onFound }: SweepOptions) {
  return outages.unlessAway(['object-store'], 'sweep', async () => {
    const expired = await listExpiredUploads(db, uploadsMax)
    await removeUploads(objects, expired)
    await deleteUploads(db, expired)
    onFound('upload', expired.length)
    return expired.length
  })
}
