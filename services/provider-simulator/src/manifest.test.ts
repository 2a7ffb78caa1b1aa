import { expect, test } from 'vitest'
import { checkManifest, type Manifest } from './manifest.ts'

/** The digest was computed with sha256sum from the three lines of the rule. */
const manifest: Manifest = {
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
      content: '/content',
    },
  ],
}

test('a manifest that arrived whole passes', () => {
  expect(() => checkManifest(manifest)).not.toThrow()
})

const faulty: [name: string, change: Partial<Manifest>, message: string][] = [
  ['another plex', { plex: 'simplex' }, 'the digest does not match its content'],
  ['another version', { manifestVersion: 1 }, 'the digest does not match its content'],
  ['a document missing', { documents: [] }, 'documentCount does not match its documents'],
  [
    'other totals',
    { totals: { ...manifest.totals, sheetCount: 3 } },
    'sheetCount does not match its documents',
  ],
]

test.for(faulty)('a manifest with %s does not', ([, change, message]) => {
  expect(() => checkManifest({ ...manifest, ...change })).toThrow(`Manifest of R100001: ${message}`)
})
