import { createBatchChooser } from '@despatch/domain/work/choose-batches'
import type { Db } from '@despatch/store/database'
import type { TakenStep } from '@despatch/store/print-job/steps'
import { takeBatch } from '@despatch/store/work/batch-lease'
import { formBatches } from '@despatch/store/work/form-batches'

const plenty = { letters: 1_000, slow: 1_000 }
const leaseSeconds = 60

/** Forms batches of the letters that wait and are due, and leases those letters, as the scheduler and the workers do. */
export async function takeWaitingLetters(db: Db): Promise<TakenStep[]> {
  const batches = await formBatches(db, {
    offeredMax: plenty,
    pausedQueues: [],
    ...createBatchChooser(),
  })
  const taken = await Promise.all(batches.map((batch) => takeBatch(db, batch, leaseSeconds)))
  return taken.flatMap((batch) => batch?.steps ?? [])
}
