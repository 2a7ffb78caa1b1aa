import { hash } from 'node:crypto'
import { Readable } from 'node:stream'
import { documentKey } from '@despatch/object-store/keys'
import { expect, test } from 'vitest'
import { readDocuments } from './read-documents.ts'

const never = new AbortController().signal
const mebibyte = 1024 * 1024

function aDocument(content: Buffer, documentId: string) {
  const sha256 = hash('sha256', content)
  return { documentId, sha256, bytes: content.length, pages: 1 }
}

/**
 * A store with objects under their keys, which records the objects that were requested and those that were abandoned.
 */
function someObjects(contents: readonly Buffer[]) {
  const documents = contents.map((content, index) => aDocument(content, `D${index}`))
  const stored = new Map(
    documents.map(({ sha256 }, index) => [documentKey(sha256), contents[index]!]),
  )
  const asked: string[] = []
  const signals: AbortSignal[] = []
  const source = {
    getStream: async (key: string, { signal }: { signal?: AbortSignal } = {}) => {
      asked.push(documents.find(({ sha256 }) => documentKey(sha256) === key)!.documentId)
      if (signal) signals.push(signal)
      const content = stored.get(key)
      if (!content) return undefined
      const half = content.length >> 1
      const stream = Readable.from([content.subarray(0, half), content.subarray(half)])
      return { stream, bytes: content.length, etag: 'any' }
    },
  }
  return { documents, stored, asked, signals, source }
}

const letters = (count: number, bytes = 10) =>
  Array.from({ length: count }, (_, index) => Buffer.alloc(bytes, `letter ${index}`))

test('returns documents in order, each complete', async () => {
  const contents = letters(9)
  const { documents, source } = someObjects(contents)

  const read: unknown[] = []
  for await (const each of readDocuments(source, documents, never)) read.push(each)

  expect(read).toEqual(
    documents.map((document, index) => ({ document, content: contents[index]! })),
  )
})

test.each([
  ['four', 10, ['D0', 'D1', 'D2', 'D3', 'D4']],
  ['fewer that have 16 MiB', 7 * mebibyte, ['D0', 'D1', 'D2']],
  ['one at least', 20 * mebibyte, ['D0', 'D1']],
])('reads ahead no more than %s', async (_, bytes, expected) => {
  const { documents, asked, source } = someObjects(letters(8, bytes))
  const read = readDocuments(source, documents, never)

  await read.next()
  const askedByThen = [...asked]
  await read.return(undefined)

  expect(askedByThen).toEqual(expected)
})

test.each<[what: string, content: Buffer | undefined, message: string]>([
  ['is gone', undefined, 'The file of document D1 is missing'],
  ['has another length', Buffer.alloc(11), 'The file of document D1 has another length'],
  ['has other bytes', Buffer.alloc(10), 'The file of document D1 differs from its SHA-256'],
])('fails at a document that %s, after those before it', async (_, content, message) => {
  const { documents, stored, source } = someObjects(letters(3))
  const key = documentKey(documents[1]!.sha256)
  if (content) stored.set(key, content)
  else stored.delete(key)
  const read = readDocuments(source, documents, never)

  expect((await read.next()).value).toMatchObject({ document: { documentId: 'D0' } })
  await expect(read.next()).rejects.toThrow(message)
  expect(await read.next()).toEqual({ done: true, value: undefined })
})

test('returning from the iterator aborts the reads in progress', async () => {
  const { documents, signals, source } = someObjects(letters(8))
  const read = readDocuments(source, documents, never)
  await read.next()

  await read.return(undefined)

  expect(signals.map(({ aborted }) => aborted)).toEqual(Array(5).fill(true))
})

test('aborting the signal aborts the reads in progress', async () => {
  const ended = new AbortController()
  const { documents, signals, source } = someObjects(letters(8))
  await readDocuments(source, documents, ended.signal).next()

  ended.abort()

  expect(signals.map(({ aborted }) => aborted)).toEqual(Array(5).fill(true))
})
