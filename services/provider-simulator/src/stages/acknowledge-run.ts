import type { Manifest } from '../manifest.ts'
import type { Production } from '../production.ts'
import type { RunInHand } from '../run-book.ts'

/** Acknowledges that the manifest and the files have arrived, and refuses the documents that cannot be printed. */
export async function acknowledgeRun(
  run: RunInHand,
  manifest: Manifest,
  production: Production,
): Promise<void> {
  const { batchNumber, record } = run
  const { refusals = [] } = record
  await production.client.acknowledge(manifest, refusals)
  await production.reach('after-acknowledge', run)
  await run.save({ acknowledgedAt: new Date().toISOString() })
  production.onEvent({ kind: 'acknowledged', batchNumber, refusedCount: refusals.length })
  for (const refusal of refusals) {
    production.onEvent({ kind: 'refused', batchNumber, ...refusal })
  }
}
