import { uploadKey } from '@despatch/object-store/keys'
import type { ObjectStore } from '@despatch/object-store/object-store'
import { type Repeated, repeat } from '@despatch/queue/repeat'
import type { Db } from '@despatch/store/database'
import { wakeOverdueSteps } from '@despatch/store/print-job/steps'
import { deleteUploads, listExpiredUploads } from '@despatch/store/print-job/uploads'
import type { Stage } from './stage.ts'

const stepsMax = 500
const uploadsMax = 100
const checkAfterSeconds = 60

export type SweepOptions = {
  db: Db
  objects: ObjectStore
  stages: readonly Pick<Stage<never>, 'queue' | 'status'>[]
  everyMs: number
  onError: (error: Error) => void
  nudgeRelay: () => void
  /** Told what a pass found. */
  onFound: (what: SweepFinding, count: number) => void
}

/** `step`: a print job whose wake-up was lost, or whose worker died. `upload`: one that nobody used. */
export type SweepFinding = 'step' | 'upload'

/**
 * Wakes print jobs whose wake-up was lost or whose worker died, so that losing a queue loses nothing, and clears away
 * uploads that nobody used.
 */
export function startSweep(options: SweepOptions): Repeated {
  const { db, objects, stages, everyMs, onError, nudgeRelay, onFound } = options
  const queueOfStatus = Object.fromEntries(stages.map(({ status, queue }) => [status, queue]))
  return repeat({
    everyMs,
    onError,
    pass: async () => {
      const woken = await wakeOverdueSteps(db, queueOfStatus, { stepsMax, checkAfterSeconds })
      if (woken > 0) nudgeRelay()
      onFound('step', woken)
      const expired = await listExpiredUploads(db, uploadsMax)
      onFound('upload', expired.length)
      for (const id of expired) await objects.remove(uploadKey(id))
      await deleteUploads(db, expired)
      return woken === stepsMax || expired.length === uploadsMax ? 'again' : 'idle'
    },
  })
}
