import { buffer } from 'node:stream/consumers'
import { readZip } from '@despatch/testing/read-zip'
import { expect, test } from 'vitest'
import type { ReadDocument } from './read-documents.ts'
import { zipDocuments } from './zip-documents.ts'

const claimedAt = new Date('2026-11-20T12:00:00Z')

function someDocuments(count: number, bytes: number): ReadDocument[] {
  return Array.from({ length: count }, (_, index) => ({
    document: { documentId: `D${index}`, sha256: 'any', bytes, pages: 1 },
    content: Buffer.alloc(bytes, `letter ${index}`),
  }))
}

type Reading = Iterable<ReadDocument> | AsyncIterable<ReadDocument>

async function* given(read: Reading, state = { isEnded: false }) {
  try {
    yield* read
  } finally {
    state.isEnded = true
  }
}

function zip(read: readonly ReadDocument[], state?: { isEnded: boolean }) {
  const documents = read.map(({ document }) => document)
  return zipDocuments({ documents, claimedAt }, given(read, state))
}

test.each([
  [1, 0],
  [1, 200_000],
  [300, 1_000],
])(
  'a ZIP of %i documents of %i bytes contains each, and has the announced length',
  async (count, bytes) => {
    const read = someDocuments(count, bytes)

    const zipped = zip(read)

    const content = await buffer(zipped.stream)
    expect(content.length).toBe(zipped.bytes)
    expect(readZip(content)).toEqual(
      read.map(({ document, content }) => ({ name: `${document.documentId}.pdf`, content })),
    )
  },
)

test('a ZIP over 4 GiB is a ZIP64 with a known length', () => {
  const small = zip(someDocuments(1, 1)).bytes
  const documents = someDocuments(5, 1).map(({ document }) => ({ ...document, bytes: 1024 ** 3 }))

  const { bytes, stream } = zipDocuments({ documents, claimedAt }, given([]))
  stream.destroy()

  // only a ZIP64 ends with these records
  const endOfZip64 = 56 + 20
  const perDocument = small - 22 - 1
  expect(bytes).toBeGreaterThan(5 * 1024 ** 3 + 5 * perDocument + 22 + endOfZip64 - 1)
})

test.each([
  ['fails', async () => Promise.reject(new Error('The file is gone'))],
  ['is another', async () => someDocuments(9, 10)[8]!],
])('a document that %s breaks the ZIP off there, and the reading ends', async (_, next) => {
  const read = someDocuments(3, 10)
  const documents = read.map(({ document }) => document)
  const state = { isEnded: false }
  async function* broken() {
    yield read[0]!
    yield await next()
  }
  const { stream } = zipDocuments({ documents, claimedAt }, given(broken(), state))

  await expect(buffer(stream)).rejects.toThrow()
  expect(state.isEnded).toBe(true)
})

test('the reading ends when the reader of the ZIP stops', async () => {
  const state = { isEnded: false }
  const { stream } = zip(someDocuments(100, 100_000), state)
  await stream[Symbol.asyncIterator]().next()

  stream.destroy()

  await expect.poll(() => state.isEnded).toBe(true)
})
