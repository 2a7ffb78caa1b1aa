import type { ObjectStore } from '@despatch/object-store/object-store'
import type { TakenStep } from '@despatch/store/print-job/steps'
import { expect, test } from 'vitest'
import type { Effects } from '../print-job/stage.ts'
import { decide, quarantine } from './quarantine.ts'
import type { FoundFile } from './quarantine-file.ts'

const minutes = (count: number) => count * 60_000

const uploaded = (detail: Partial<Extract<FoundFile, { found: 'bytes' }>> = {}): FoundFile => ({
  found: 'bytes',
  fileId: 'scan',
  position: 0,
  sha256: 'ab',
  bytes: 100,
  mediaType: 'application/pdf',
  isWhole: true,
  alsoIs: undefined,
  copy: { from: 'uploads/1', to: 'files/ab', etag: 'e1' },
  ...detail,
})
const missing: FoundFile = { found: 'nothing', fileId: 'photo', position: 1 }

const decideOn = (files: readonly FoundFile[], ageMs = minutes(1)) =>
  decide({ ageMs, uploadBytesMax: 1000, scanPauseSeconds: 15, files })

test('a print job without files is released at once', () => {
  expect(decideOn([])).toEqual({
    kind: 'advance',
    transition: 'release',
    pins: [],
  })
})

test('pins exactly the bytes that were checked', () => {
  expect(decideOn([uploaded()])).toEqual({
    kind: 'advance',
    transition: 'release',
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

test('passes on the content of a file, without storing the content with its pin', () => {
  const content = Buffer.from('%PDF-1.7')

  const outcome = decideOn([uploaded({ content })])

  expect(outcome).toMatchObject({ contents: new Map([[0, content]]) })
  expect(JSON.stringify((outcome as { pins: unknown }).pins)).not.toContain('data')
})

test('waits for a missing upload, and rejects after an hour', () => {
  expect(decideOn([uploaded(), missing], minutes(60))).toEqual({
    kind: 'wait',
    seconds: 30,
    reason: 'upload outstanding',
  })
  expect(decideOn([uploaded(), missing], minutes(61))).toMatchObject({
    kind: 'reject',
    comment: 'File photo was not uploaded in time',
    findings: [{ rule: 'file-missing', fileId: 'photo' }],
  })
})

test('a worker whose clock is ahead does not reject an upload in time', async () => {
  const effects = {
    objects: { getStream: async () => undefined } as Partial<ObjectStore> as ObjectStore,
    now: () => new Date(Date.now() + 5 * minutes(60)),
  } as Partial<Effects> as Effects
  const file = { fileId: 'photo', position: 0, source: 'upload', uploadId: 'u', pinned: false }
  const step = { key: 'k', submittedAt: new Date(), ageMs: minutes(1), files: [file] }

  const facts = await quarantine.gather(
    effects,
    step as Partial<TakenStep> as TakenStep,
    new AbortController().signal,
  )

  expect(quarantine.decide(facts)).toMatchObject({ kind: 'wait', reason: 'upload outstanding' })
})

test('waits for a verdict of the virus scanner without a time limit', () => {
  const unscanned: FoundFile = { found: 'unscanned', fileId: 'photo', position: 1 }
  const wait = { kind: 'wait', seconds: 15, reason: 'no verdict from the virus scanner' }

  expect(decideOn([uploaded(), unscanned])).toEqual(wait)
  expect(decideOn([unscanned], minutes(10_000))).toEqual(wait)
})

test.each<[name: string, file: FoundFile, rule: string, comment: string]>([
  ['empty', uploaded({ bytes: 0, mediaType: undefined }), 'file-empty', 'File scan is empty'],
  [
    'of no allowed kind',
    uploaded({ mediaType: undefined }),
    'file-kind',
    'File scan is not a PDF, GIF, PNG, JPEG, TIFF or BMP file',
  ],
  [
    'cut short',
    uploaded({ isWhole: false }),
    'file-truncated',
    'File scan is not complete: it begins as a PDF file and is cut off',
  ],
  [
    'of two kinds',
    uploaded({ alsoIs: 'an archive' }),
    'file-polyglot',
    'File scan is a PDF file and also an archive; a file is of one kind only',
  ],
  [
    'too large',
    { found: 'too-large', fileId: 'scan', position: 0, bytes: 1001 },
    'file-too-large',
    'File scan has 1001 bytes; at most 1000 are allowed',
  ],
  [
    'infected',
    { found: 'infected', fileId: 'scan', position: 0 },
    'file-infected',
    'File scan did not pass the security check',
  ],
])('rejects a file that is %s', (_name, file, rule, comment) => {
  expect(decideOn([file])).toMatchObject({
    kind: 'reject',
    comment,
    findings: [{ rule, severity: 'refusal', fileId: 'scan', detail: comment }],
  })
})

test('removes an upload that is too large, and nothing else', () => {
  const large = { found: 'too-large', fileId: 'scan', position: 0, bytes: 1001 } as const

  const outcomes = [
    decideOn([{ ...large, remove: 'uploads/1' }, uploaded()]),
    decideOn([large]),
    decideOn([uploaded({ isWhole: false })]),
  ]

  expect(outcomes.map((outcome) => Object.hasOwn(outcome, 'removes') && outcome)).toEqual([
    expect.objectContaining({ removes: ['uploads/1'] }),
    false,
    false,
  ])
})

test('needs the object store until each file is pinned, and reads only those that are not', async () => {
  const step = (...pinned: boolean[]) =>
    ({ files: pinned.map((is) => ({ pinned: is })) }) as Partial<TakenStep> as TakenStep

  expect([step(), step(true), step(true, false)].map(quarantine.needsObjects!)).toEqual([
    ...[false, false, true],
  ])
  const facts = await quarantine.gather(
    {} as Partial<Effects> as Effects,
    step(true, true),
    new AbortController().signal,
  )
  expect(facts).toMatchObject({ files: [] })
})

test('reports every rejected file', () => {
  const outcome = decideOn([uploaded({ bytes: 0 }), uploaded({ fileId: 'photo', isWhole: false })])

  expect(outcome).toMatchObject({
    comment: 'File scan is empty',
    findings: [
      { rule: 'file-empty', fileId: 'scan' },
      { rule: 'file-truncated', fileId: 'photo' },
    ],
  })
})
