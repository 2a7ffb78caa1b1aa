import { expect, test } from 'vitest'
import { faultOfManifest, manifestDigestOf } from './manifest-digest.ts'
import type { Manifest } from './print-run.ts'

/** The digest was computed with sha256sum from the three lines of the rule. */
const manifest = {
  batchNumber: 'R100001',
  manifestVersion: 2,
  manifestDigest: 'c16b05e7d7abd4abaf3577be1e5e0041717a42b10be024ea1447c6168388d911',
  printLocation: 'NORTH',
  despatchMethod: 'SECOND',
  stationery: 'A4-PLAIN',
  plex: 'duplex',
  colour: true,
  totals: { documentCount: 1, sheetCount: 2, pageCount: 3, byteCount: 4_000 },
  documents: [
    {
      sequence: 7,
      documentId: 'D100000001',
      fulfilmentJobId: 'R100001-001',
      attempt: 1,
      sheets: 2,
      pages: 3,
      bytes: 4_000,
      sha256: 'ab',
    },
  ],
} as unknown as Manifest

test('a manifest that arrived whole has no fault', async () => {
  expect(await faultOfManifest(manifest)).toBeUndefined()
})

test.for<[name: string, change: Partial<Manifest>]>([
  ['another plex', { plex: 'simplex' }],
  ['another version', { manifestVersion: 1 }],
  ['a document missing', { documents: [] }],
])('the digest shows a manifest with %s', async ([, change]) => {
  expect(await faultOfManifest({ ...manifest, ...change })).toBe(
    'does not have the digest of its content',
  )
})

test.for(['documentCount', 'sheetCount', 'pageCount', 'byteCount'] as const)(
  'a %s that is not that of the documents is a fault, although the digest fits',
  async (name) => {
    const wrong = { ...manifest, totals: { ...manifest.totals, [name]: 9 } }
    const manifestDigest = await manifestDigestOf(wrong)

    expect(await faultOfManifest({ ...wrong, manifestDigest })).toBe(
      `does not have the ${name} of its documents`,
    )
  },
)
