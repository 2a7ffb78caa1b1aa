import { readMemory, watchMemory } from '../memory.ts'
import type { FulfilmentSide } from '../runs/fulfilment-side.ts'

export type ListFigures = {
  firstByteSeconds: number
  seconds: number
  /** By how much the memory of the service grew meanwhile. NaN: this system does not report memory. */
  grownMebibytes: number
}

/** Reads the whole list of a run from a fulfilment service. */
export async function measureList(
  { program: { pid }, get }: FulfilmentSide,
  batchNumber: string,
): Promise<ListFigures> {
  const before = await readMemory(pid)
  const watch = watchMemory(pid)
  const startedAt = performance.now()
  const { statusCode, body } = await get(`/print-runs/${batchNumber}/manifest`)
  if (statusCode !== 200) throw new Error(`The manifest was answered with ${statusCode}`)
  let firstByteAt: number | undefined
  for await (const _chunk of body) firstByteAt ??= performance.now()
  const endedAt = performance.now()
  // a short read may end before the first sample
  const levels = [watch.stop().mebibytesMax, await readMemory(pid)].map((level) => level ?? 0)
  return {
    firstByteSeconds: ((firstByteAt ?? endedAt) - startedAt) / 1000,
    seconds: (endedAt - startedAt) / 1000,
    grownMebibytes: before === undefined ? Number.NaN : Math.max(...levels) - before,
  }
}
