import type { Db } from '@despatch/store/database'
import { letterKind } from '@despatch/store/print-job/letter-kind'
import type { TakenStep } from '@despatch/store/print-job/steps'
import { takeBatch } from '@despatch/work/batch-lease'
import { createBatchChooser } from '@despatch/work/choose-batches'
import { formBatches } from '@despatch/work/form-batches'
import { withRoom } from './with-room.ts'

const plenty = withRoom(letterKind, { ordinary: 1_000, slow: 1_000 })
const leaseSeconds = 60

/** Forms batches of the letters that wait and are due, and leases those letters, as the scheduler and the workers do. */
export async function takeWaitingLetters(db: Db): Promise<TakenStep[]> {
  const batches = await formBatches(db, plenty, {
    pausedQueues: [],
    ...createBatchChooser(letterKind),
  })
  const taken = await Promise.all(
    batches.map((batch) => takeBatch(db, letterKind, batch, leaseSeconds)),
  )
  return taken.flatMap((batch) => batch?.subjects ?? [])
}
