import { createHash } from 'node:crypto'

type Content = { tooLate: readonly string[]; note: string | null }

/** Returns a hash that distinguishes a repeat from another settlement, and from every answer of the provider. */
export function hashSettlement({ tooLate, note }: Content): Buffer {
  const content = JSON.stringify(['operator', [...new Set(tooLate)].toSorted(), note])
  return createHash('sha256').update(content).digest()
}
