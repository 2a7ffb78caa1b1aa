import { reassignDocuments } from '@despatch/store/print-run/reassign'
import { reroutePrintRuns } from '@despatch/store/print-run/reroute'
import { providerId } from '../runs/provider.ts'
import type { Stage } from '../runs/stage.ts'
import { timed } from '../statistics.ts'

const printLocation = 'ELSEWHERE'

/** Reassigns a released run to another site, as an operator does. Returns the seconds. */
export async function moveOne({ database: { db, pool } }: Stage): Promise<number> {
  await pool.query(
    `insert into print_site (provider_id, print_location, capabilities)
     select provider_id, $1, capabilities from print_site where provider_id = $2`,
    [printLocation, providerId],
  )
  const { rows } = await pool.query<{ batch_number: string }>(
    `select batch_number from print_run where state = 'RELEASED' order by document_count desc limit 1`,
  )
  const [seconds, outcome] = await timed(() =>
    db.transaction().execute((tx) =>
      reassignDocuments(tx, {
        ...{ batchNumber: rows[0]!.batch_number, providerId, printLocation },
        ...{ reason: 'bench', nothingPrinted: false, actor: 'bench' },
      }),
    ),
  )
  if (outcome.kind !== 'moved') throw new Error(`The run was not moved: ${outcome.kind}`)
  return seconds
}

/** Disables the site of a released run, so that its documents are gathered again elsewhere. Returns the seconds. */
export async function dissolveOne({ database: { db, pool } }: Stage): Promise<number> {
  await pool.query('update print_site set enabled = false where print_location <> $1', [
    printLocation,
  ])
  const [seconds, { rerouted }] = await timed(() => db.transaction().execute(reroutePrintRuns))
  if (rerouted.length === 0) throw new Error('No run was rerouted')
  return seconds
}
