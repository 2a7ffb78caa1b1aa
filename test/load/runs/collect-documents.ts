import { hash } from 'node:crypto'
import type { ManifestResponse } from '@despatch/contracts/print-fulfilment/manifest'
import { Agent } from 'undici'
import type { FulfilmentClient } from './fulfilment-side.ts'

const atOnce = 16

export async function readList(
  { get }: FulfilmentClient,
  batchNumber: string,
): Promise<ManifestResponse> {
  const { statusCode, body } = await get(`/print-runs/${batchNumber}/manifest`)
  if (statusCode !== 200) throw new Error(`The manifest was answered with ${statusCode}`)
  return (await body.json()) as ManifestResponse
}

/**
 * Reads the list of a run and all its files as one node of a factory would, sixteen at a time: gets the file's address,
 * downloads the file and compares its SHA-256. Returns the total number of bytes.
 */
export async function collectDocuments(
  side: FulfilmentClient,
  batchNumber: string,
): Promise<number> {
  const { documents } = await readList(side, batchNumber)
  const store = new Agent({ connections: atOnce })
  let next = 0
  let bytes = 0

  async function keepCollecting(): Promise<void> {
    for (let document = documents[next++]; document; document = documents[next++]) {
      const { documentId, sha256 } = document
      const content = await collect(
        side,
        store,
        `/print-runs/${batchNumber}/documents/${documentId}/content`,
      )
      if (hash('sha256', content) !== sha256) {
        throw new Error(`The file of ${documentId} differs from its SHA-256`)
      }
      bytes += content.length
    }
  }

  try {
    await Promise.all(Array.from({ length: atOnce }, keepCollecting))
  } finally {
    await store.destroy()
  }
  return bytes
}

async function collect({ get }: FulfilmentClient, store: Agent, path: string): Promise<Buffer> {
  const { statusCode, headers, body } = await get(path)
  await body.dump()
  if (statusCode !== 303) throw new Error(`The content was answered with ${statusCode}`)
  const { origin, pathname, search } = new URL(String(headers.location))
  const file = await store.request({ method: 'GET', origin, path: `${pathname}${search}` })
  if (file.statusCode !== 200) throw new Error(`The file was answered with ${file.statusCode}`)
  return Buffer.from(await file.body.arrayBuffer())
}
