import type { ApiSession } from './api-session.ts'
import type { Manifest, ManifestDocument } from './manifest.ts'

export type Refusal = { documentId: string; reasonCode: string; reason: string }

export type FulfilmentClient = ReturnType<typeof createFulfilmentClient>

const prefix = '/print-fulfilment/v1'

/** The operations of the print fulfilment interface that a factory uses. Every one is safe to repeat. */
export function createFulfilmentClient(session: ApiSession) {
  const run = (batchNumber: string) => `${prefix}/print-runs/${encodeURIComponent(batchNumber)}`

  return {
    async listReleased(): Promise<string[]> {
      const batchNumbers: string[] = []
      let cursor = ''
      do {
        const response = await session.call(`${prefix}/print-runs?state=RELEASED${cursor}`)
        const page = (await response.json()) as {
          printRuns: { batchNumber: string }[]
          nextCursor?: string
        }
        batchNumbers.push(...page.printRuns.map(({ batchNumber }) => batchNumber))
        cursor = page.nextCursor ? `&cursor=${encodeURIComponent(page.nextCursor)}` : ''
      } while (cursor)
      return batchNumbers
    },

    async claim(batchNumber: string, claimKey: string): Promise<{ documentCount: number }> {
      const headers = { 'idempotency-key': claimKey }
      const response = await session.call(`${run(batchNumber)}/claim`, { method: 'POST', headers })
      return (await response.json()) as { documentCount: number }
    },

    async getManifest(batchNumber: string): Promise<Manifest> {
      const response = await session.call(`${run(batchNumber)}/manifest`)
      return (await response.json()) as Manifest
    },

    /** Follows the 303 to the file, without credentials: the address carries its own. */
    async fetchContent({ content, documentId }: ManifestDocument): Promise<Uint8Array> {
      const response = await session.call(content)
      const location = response.headers.get('location')
      if (response.status !== 303 || !location) {
        throw new Error(`Document ${documentId}: expected a 303, got ${response.status}`)
      }
      const file = await session.download(location)
      return new Uint8Array(await file.arrayBuffer())
    },

    async acknowledge(manifest: Manifest, refusals: readonly Refusal[]): Promise<void> {
      const { batchNumber, manifestDigest, totals } = manifest
      const { documentCount, sheetCount } = totals
      const counts = { documentCount, sheetCount, manifestDigest }
      await session.call(`${run(batchNumber)}/acknowledgement`, {
        method: 'POST',
        body: refusals.length > 0 ? { ...counts, refusals } : counts,
      })
    },

    /** Posts the documents, or without `documentIds` all that were not refused. */
    async post(
      { batchNumber, documentIds }: { batchNumber: string; documentIds?: readonly string[] },
      postingKey: string,
      handoverAt: string,
    ): Promise<string> {
      const response = await session.call(`${prefix}/postings`, {
        method: 'POST',
        headers: { 'idempotency-key': postingKey },
        body: {
          batchNumber,
          carrier: 'Simulated Mail',
          handoverAt,
          ...(documentIds && { documentIds }),
        },
      })
      return ((await response.json()) as { postingId: string }).postingId
    },

    async confirm(postingId: string): Promise<void> {
      await session.call(`${prefix}/postings/${postingId}/confirm`, { method: 'POST' })
    },
  }
}
