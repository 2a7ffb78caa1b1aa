import { readMemory, watchMemory } from '../memory.ts'
import type { FulfilmentSide } from './fulfilment-side.ts'

export const manifestFormats = ['json', 'ndjson', 'csv'] as const
export type ManifestFormat = (typeof manifestFormats)[number]

export type ManifestFigures = {
  firstByteSeconds: number
  seconds: number
  bytes: number
  /**
   * The memory of the service just before, and its maximum until the end. Undefined: this system does not report
   * memory.
   */
  mebibytesBefore: number | undefined
  mebibytesMax: number | undefined
}

/** Reads the whole manifest of a run from a fulfilment service. */
export async function readManifest(
  side: FulfilmentSide,
  batchNumber: string,
  format: ManifestFormat,
): Promise<ManifestFigures> {
  const mebibytesBefore = await readMemory(side.program.pid)
  const watch = watchMemory(side.program.pid)
  const startedAt = performance.now()
  const { statusCode, body } = await side.get(
    `/print-runs/${batchNumber}/manifest?format=${format}`,
  )
  if (statusCode !== 200) throw new Error(`The manifest was answered with ${statusCode}`)
  let firstByteAt: number | undefined
  let bytes = 0
  for await (const chunk of body) {
    firstByteAt ??= performance.now()
    bytes += (chunk as Buffer).length
  }
  const endedAt = performance.now()
  const { mebibytesMax } = watch.stop()
  const mebibytesAfter = await readMemory(side.program.pid)
  return {
    firstByteSeconds: ((firstByteAt ?? endedAt) - startedAt) / 1000,
    seconds: (endedAt - startedAt) / 1000,
    bytes,
    mebibytesBefore,
    // a short read may end before the first measurement
    mebibytesMax: mebibytesAfter && Math.max(mebibytesMax ?? 0, mebibytesAfter),
  }
}
