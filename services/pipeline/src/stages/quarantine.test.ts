import { expect, test } from 'vitest'
import { decide, type FoundFile } from './quarantine.ts'

const submittedAt = new Date('2026-03-02T09:00:00Z')
const minutesLater = (minutes: number) => new Date(submittedAt.getTime() + minutes * 60_000)

const uploaded = (detail: Partial<Extract<FoundFile, { found: 'bytes' }>> = {}): FoundFile => ({
  found: 'bytes',
  fileId: 'scan',
  position: 0,
  sha256: 'ab',
  bytes: 100,
  mediaType: 'application/pdf',
  copy: { from: 'uploads/1', to: 'files/ab', etag: 'e1' },
  ...detail,
})
const missing: FoundFile = { found: 'nothing', fileId: 'photo', position: 1 }

const decideOn = (files: readonly FoundFile[], now = minutesLater(1)) =>
  decide({ now, submittedAt, uploadBytesMax: 1000, files })

test('a print job without files is released at once', () => {
  expect(decideOn([])).toEqual({
    kind: 'advance',
    transition: 'release',
    next: 'validate',
    pins: [],
  })
})

test('pins the very bytes that were looked at', () => {
  expect(decideOn([uploaded()])).toEqual({
    kind: 'advance',
    transition: 'release',
    next: 'validate',
    pins: [
      {
        position: 0,
        sha256: 'ab',
        bytes: 100,
        mediaType: 'application/pdf',
        copy: { from: 'uploads/1', to: 'files/ab', etag: 'e1' },
      },
    ],
  })
})

test('waits for bytes that are not there yet, but not for ever', () => {
  expect(decideOn([uploaded(), missing])).toEqual({
    kind: 'wait',
    seconds: 30,
    reason: 'upload outstanding',
  })
  expect(decideOn([uploaded(), missing], minutesLater(61))).toEqual({
    kind: 'reject',
    comment: 'File photo was not uploaded in time',
  })
})

test.each([
  ['empty', uploaded({ bytes: 0, mediaType: undefined }), 'File scan is empty'],
  [
    'of no allowed kind',
    uploaded({ mediaType: undefined }),
    'File scan is not a PDF, GIF, PNG, JPEG, TIFF or BMP file',
  ],
  [
    'too large',
    { found: 'too-large', fileId: 'scan', position: 0, bytes: 1001 } as const,
    'File scan has 1001 bytes; at most 1000 are allowed',
  ],
])('rejects a file that is %s', (_name, file, comment) => {
  expect(decideOn([file])).toEqual({ kind: 'reject', comment })
})
