import type { Manifest, Totals } from './print-run.ts'
import { hexOf, webCrypto } from './web-crypto.ts'

/** Computes the digest of a manifest from its content, by the rule that it carries as `digestRule`. */
export async function manifestDigestOf(manifest: Manifest): Promise<string> {
  const { batchNumber, printLocation, despatchMethod, stationery, plex, colour } = manifest
  const { documentCount, sheetCount, pageCount, byteCount } = manifest.totals
  const lines = [
    ['manifest-1', batchNumber, printLocation, despatchMethod, stationery, plex, colour],
    ...manifest.documents.map((document) => [
      document.sequence,
      document.documentId,
      document.fulfilmentJobId,
      document.attempt,
      document.sheets,
      document.pages,
      document.bytes,
      document.sha256,
    ]),
    [manifest.manifestVersion, documentCount, sheetCount, pageCount, byteCount],
  ]
  return sha256Of(new TextEncoder().encode(lines.map((line) => `${line.join('|')}\n`).join('')))
}

/** Returns what is wrong with a manifest, such as `does not have …`. Undefined if its digest and its totals fit it. */
export async function faultOfManifest(manifest: Manifest): Promise<string | undefined> {
  const { documents, totals, manifestDigest } = manifest
  if ((await manifestDigestOf(manifest)) !== manifestDigest) {
    return 'does not have the digest of its content'
  }
  const counted: Totals = { documentCount: 0, sheetCount: 0, pageCount: 0, byteCount: 0 }
  for (const { sheets, pages, bytes } of documents) {
    counted.documentCount += 1
    counted.sheetCount += sheets
    counted.pageCount += pages
    counted.byteCount += bytes
  }
  const names = Object.keys(counted) as (keyof Totals)[]
  const wrong = names.find((name) => counted[name] !== totals[name])
  return wrong && `does not have the ${wrong} of its documents`
}

/** Returns the SHA-256 of the bytes in lower-case hexadecimal. */
export async function sha256Of(bytes: Uint8Array): Promise<string> {
  const { subtle } = await webCrypto()
  return hexOf(new Uint8Array(await subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>)))
}
