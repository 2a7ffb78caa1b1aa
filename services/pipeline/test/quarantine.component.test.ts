import { hash, randomBytes, randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { fileKey, uploadKey } from '@despatch/object-store/keys'
import { type ObjectStore, openObjectStore } from '@despatch/object-store/object-store'
import type { StepFile } from '@despatch/store/print-job/steps'
import { replaceObject } from '@despatch/testing/replace-object'
import { shared } from '@despatch/testing/shared'
import { watchObjects } from '@despatch/testing/watch-objects'
import sharp from 'sharp'
import { describe, expect, inject, test } from 'vitest'
import { findFile } from '../src/stages/quarantine-file.ts'

const mebibyte = 1024 * 1024
const objects = await shared(openObjectStore(inject('infra').objectStore))

const signal = new AbortController().signal
const sha256 = (bytes: Uint8Array) => hash('sha256', bytes)
const picture = await sharp({ create: { width: 40, height: 30, channels: 3, background: 'navy' } })
  .png()
  .toBuffer()

async function anUpload(bytes: Uint8Array, contentType = 'application/octet-stream') {
  const uploadId = randomUUID()
  await objects.put(uploadKey(uploadId), bytes, contentType)
  return uploadId
}

const look = (file: Partial<StepFile>, uploadBytesMax = 200 * mebibyte, store = objects) =>
  findFile(
    { objects: store, uploadBytesMax },
    'k1',
    {
      position: 0,
      fileId: 'scan',
      source: 'upload',
      uploadId: null,
      sha256: null,
      bytes: null,
      mediaType: null,
      pinned: false,
      ...file,
    },
    signal,
  )

describe('a file is inspected in place', () => {
  test('regardless of its name and declared type', async () => {
    const uploadId = await anUpload(picture, 'application/pdf')

    expect(await look({ uploadId, fileId: 'letter.pdf', mediaType: 'application/pdf' })).toEqual({
      fileId: 'letter.pdf',
      position: 0,
      found: 'bytes',
      bytes: picture.length,
      sha256: sha256(picture),
      mediaType: 'image/png',
      isWhole: true,
      alsoIs: undefined,
      content: picture,
      copy: {
        from: uploadKey(uploadId),
        to: fileKey(sha256(picture)),
        etag: expect.stringMatching(/./),
      },
    })
  })

  test('and a missing file that intake had stored is a fault of ours', async () => {
    const inline = { source: 'custom-param', sha256: '0'.repeat(64), bytes: 1 } as const

    await expect(look(inline)).rejects.toMatchObject({ name: 'StoredFileGone' })
  })

  test('and a missing, too large or truncated file is recognised', async () => {
    const missing = await look({ uploadId: randomUUID() })
    const large = await look({ uploadId: await anUpload(picture) }, picture.length - 1)
    const short = await look({ uploadId: await anUpload(picture.subarray(0, -12)) })

    expect(missing).toMatchObject({ found: 'nothing' })
    expect(large).toMatchObject({ found: 'too-large', bytes: picture.length })
    expect(short).toMatchObject({ found: 'bytes', mediaType: 'image/png', isWhole: false })
  })

  test('and a custom parameter with other bytes is a fault of ours', async () => {
    const key = randomBytes(32).toString('hex')
    await replaceObject(objects, fileKey(key), picture)

    await expect(
      look({ source: 'custom-param', sha256: key, bytes: picture.length }),
    ).rejects.toThrow('File 0 differs from the submitted file')
  })

  test('and an upload that breaks off is a fault of ours', async () => {
    const torn: ObjectStore = {
      ...objects,
      getStream: async () => ({
        stream: Readable.from([picture]),
        bytes: picture.length + 1,
        etag: 'e1',
      }),
    }

    await expect(look({ uploadId: randomUUID() }, 10_000, torn)).rejects.toThrow(/ended after/)
  })
})

describe('when other bytes are put to the presigned address', () => {
  const other = Buffer.from('%PDF-1.7 something else')
  const aPresignedUpload = async () => {
    const uploadId = randomUUID()
    const address = await objects.uploadAddress(uploadKey(uploadId), { expiresSeconds: 60 })
    const put = async (body: Uint8Array) =>
      expect((await fetch(address, { method: 'PUT', body: Buffer.from(body) })).status).toBe(200)
    // Unique bytes each time, because equal bytes share one pinned file.
    const bytes = Buffer.concat([picture, randomBytes(8)])
    await put(bytes)
    return { uploadId, put, bytes }
  }

  test('between check and pin, nothing is pinned', async () => {
    const { uploadId, put } = await aPresignedUpload()
    const found = await look({ uploadId })
    const { copy } = found as { copy: { from: string; to: string; etag: string } }

    await put(other)

    expect(await objects.copy(copy.from, copy.to, copy)).toBe('changed')
    expect(await objects.head(copy.to)).toBeUndefined()
    expect(await look({ uploadId })).toMatchObject({ sha256: sha256(other), isWhole: false })
  })

  test('after the pin, the checked bytes are printed', async () => {
    const { uploadId, put, bytes } = await aPresignedUpload()
    const found = await look({ uploadId })
    const { copy } = found as { copy: { from: string; to: string; etag: string } }
    expect(await objects.copy(copy.from, copy.to, copy)).toBe('copied')

    await put(other)

    const pinned = await objects.get(copy.to, { bytesMax: mebibyte })
    expect(copy.to).toBe(fileKey(sha256(bytes)))
    expect(sha256(pinned!.bytes)).toBe(sha256(bytes))
  })
})

test('only one buffer of a too large file is in memory', async () => {
  const buffers = watchObjects()
  const held: number[] = []
  const chunk = 64 * 1024
  const fileBytes = 8 * mebibyte
  async function* aLargePdf() {
    const bytes = Buffer.alloc(fileBytes, 'x')
    bytes.write('%PDF-1.7\n')
    bytes.write('\nstartxref\n9\n%%EOF\n', fileBytes - 19)
    for (let at = 0; at < fileBytes; at += chunk) {
      const part = Buffer.from(new Uint8Array(bytes.subarray(at, at + chunk)).buffer)
      buffers.add(part.buffer)
      yield part
      if (at % mebibyte === 0) held.push(await buffers.countHeld())
    }
  }
  const large: ObjectStore = {
    ...objects,
    getStream: async () => ({
      stream: Readable.from(aLargePdf(), { objectMode: false }),
      bytes: fileBytes,
      etag: 'e1',
    }),
  }

  const found = await look({ uploadId: randomUUID() }, fileBytes, large)

  expect(found).toMatchObject({
    found: 'bytes',
    bytes: fileBytes,
    isWhole: true,
    content: undefined,
  })
  expect(held).toHaveLength(8)
  // a stream reads two buffers ahead
  expect(Math.max(...held)).toBeLessThanOrEqual(4)
})

test('an unread stream releases its connection', async () => {
  const uploadId = await anUpload(Buffer.alloc(4 * mebibyte, 'a'))
  const streams: Readable[] = []
  const watched: ObjectStore = {
    ...objects,
    getStream: async (...args) => {
      const object = await objects.getStream(...args)
      if (object) streams.push(object.stream)
      return object
    },
  }

  await look({ uploadId }, mebibyte, watched)

  await finished(streams[0]!).catch(() => {})
  expect(streams[0]!.destroyed).toBe(true)
})
