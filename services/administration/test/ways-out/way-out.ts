import { readStates, type SmallWorld } from './small-world.ts'

const reason = 'the provider has vanished'
/** A way out that does not end in so many rounds ends nowhere. */
const roundsMax = 5

/**
 * Brings everything to an end as the operators of a provider that has vanished do: with the operations of the
 * administration, time, and the passes of the pipeline. Returns what is still open, which must be nothing.
 */
export async function takeWayOut(world: SmallWorld): Promise<string[]> {
  for (let round = 0; round < roundsMax; round += 1) {
    await endLetters(world)
    await endReprints(world)
    await endRuns(world)
    const open = await listOpen(world)
    if (open.length === 0) return []
  }
  return listOpen(world)
}

async function endLetters({ as, keys }: SmallWorld): Promise<void> {
  for (const key of keys) await as('POST', `/print-jobs/${key}/cancel`, { reason })
}

async function endReprints({ as, listWaitingReprints }: SmallWorld): Promise<void> {
  for (const reprintId of await listWaitingReprints()) {
    await as('POST', `/reprints/${reprintId}/refuse`, { reason })
  }
}

async function endRuns(world: SmallWorld): Promise<void> {
  const { as, runs } = world
  await runs.gather()
  for (const { batchNumber } of await world.listRuns()) {
    await as('POST', `/print-runs/${batchNumber}/recalls`, { all: true, reason })
  }
  for (const recallId of await world.listOpenRecalls()) {
    await as('POST', `/recalls/${recallId}/settle`, { allStopped: true, note: reason })
  }
  for (const { batchNumber } of await world.listRuns()) {
    await as('POST', `/print-runs/${batchNumber}/close`, { note: reason })
  }
}

const ends = [
  ...['run CLOSED', 'run VOIDED', 'reprint AUTHORISED', 'reprint REFUSED', 'posting confirmed'],
  ...['recall ACCEPTED', 'recall PARTLY_ACCEPTED', 'recall REJECTED'],
  ...['letter DESPATCHED', 'letter REJECTED', 'letter deleted'],
]

async function listOpen(world: SmallWorld): Promise<string[]> {
  const open = (await readStates(world)).filter((state) => !ends.includes(state))
  // nothing is in it any more, so its confirmation would despatch nothing
  const isPostingEmpty = !(await hasPosted(world))
  return open.filter((state) => !(state === 'posting saved' && isPostingEmpty))
}

async function hasPosted({ pool, batchNumbers }: SmallWorld): Promise<boolean> {
  const { rows } = await pool.query(
    `select from print_run_document
     where batch_number = any ($1) and posting_id is not null and outcome is null`,
    [batchNumbers],
  )
  return rows.length > 0
}
