import type { Manifest } from '@despatch/client/print-run'
import type { Production } from '../print-run/production.ts'
import type { RunInHand } from '../print-run/run-book.ts'

/** Acknowledges that the manifest and the files have arrived, and refuses the documents that cannot be printed. */
export async function acknowledgeRun(
  run: RunInHand,
  manifest: Manifest,
  production: Production,
): Promise<void> {
  const { batchNumber, record } = run
  const { refusals = [] } = record
  const { totals, manifestDigest } = manifest
  const { documentCount, sheetCount } = totals
  await production.client.acknowledge(batchNumber, {
    documentCount,
    sheetCount,
    manifestDigest,
    ...(refusals.length > 0 && { refusals }),
  })
  await production.reach('after-acknowledge', run)
  await run.save({ acknowledgedAt: new Date().toISOString() })
  production.onEvent({ kind: 'acknowledged', batchNumber, refusedCount: refusals.length })
  for (const refusal of refusals) {
    production.onEvent({ kind: 'refused', batchNumber, ...refusal })
  }
}
