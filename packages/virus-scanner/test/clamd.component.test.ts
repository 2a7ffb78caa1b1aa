import { createHash } from 'node:crypto'
import { eicar, eicarSignature, startClamd } from '@despatch/testing/clamd'
import { afterAll, describe, expect, test } from 'vitest'
import { openVirusScanner } from '../src/virus-scanner.ts'

const mebibyte = 1024 * 1024
/** The same bytes in each run: bytes drawn at random at times look like an archive over a limit. */
const bytesOf = (length: number) =>
  createHash('shake256', { outputLength: length }).update('a file').digest()

const clamd = await startClamd({ streamBytesMax: 4 * mebibyte, scanBytesMax: 2 * mebibyte })
afterAll(() => clamd?.close())

async function* inChunks(bytes: Uint8Array, chunkBytes = 65_536) {
  for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes)
}

describe.skipIf(!clamd).each([
  ['TCP', clamd?.url],
  ['a socket', clamd?.socketUrl],
])('a real clamd over %s', (_, url) => {
  const scanner = openVirusScanner(url ?? 'tcp://nowhere:1')

  test('answers', async () => {
    await expect(scanner.check()).resolves.toBeUndefined()
  })

  test.each([
    ['nothing', Buffer.alloc(0)],
    ['a few bytes', Buffer.from('Dear Sir or Madam')],
    ['as much as it scans', bytesOf(2 * mebibyte - 1)],
  ])('%s is clean', async (_name, bytes) => {
    expect(await scanner.scan(inChunks(bytes))).toEqual({ kind: 'clean' })
  })

  test.each([
    ['alone', eicar()],
    [
      'inside a PDF',
      Buffer.concat([Buffer.from('%PDF-1.7\nstream\n'), eicar(), Buffer.from('\n')]),
    ],
    ['behind a mebibyte', Buffer.concat([bytesOf(mebibyte), eicar()])],
  ])('the test virus %s is found', async (_name, bytes) => {
    expect(await scanner.scan(inChunks(bytes, 50_000))).toEqual({
      kind: 'infected',
      signature: eicarSignature,
    })
  })

  test('a signature that two chunks share is found', async () => {
    expect(await scanner.scan(inChunks(eicar(), 7))).toEqual({
      kind: 'infected',
      signature: eicarSignature,
    })
  })

  test('gives no verdict on a file over the scan limit, with any content', async () => {
    const bytes = Buffer.concat([bytesOf(3 * mebibyte), eicar()])

    await expect(scanner.scan(inChunks(bytes))).rejects.toMatchObject({ reason: 'limit' })
  })

  test('gives no verdict on a file over the stream limit', async () => {
    await expect(scanner.scan(inChunks(bytesOf(24 * mebibyte)))).rejects.toMatchObject({
      name: 'ScanFailed',
    })
  })

  test('keeps concurrent scans separate', async () => {
    const kinds = await Promise.all(
      Array.from({ length: 30 }, async (_value, index) => {
        const bytes = index % 3 === 0 ? eicar() : bytesOf(10_000)
        return (await scanner.scan(inChunks(bytes, 1000))).kind
      }),
    )

    expect(kinds).toEqual(
      Array.from({ length: 30 }, (_value, index) => (index % 3 === 0 ? 'infected' : 'clean')),
    )
  })
})
