import { expect, test } from 'vitest'
import {
  findingsOfStructure,
  infectedFinding,
  missingFinding,
  tooLargeFinding,
} from './file-findings.ts'

const sound = { bytes: 9, mediaType: 'image/gif', isWhole: true, alsoIs: undefined } as const
const refusal = { severity: 'refusal', fileId: 'scan' }

test('a complete file of one kind has no finding', () => {
  expect(findingsOfStructure('scan', sound)).toEqual([])
})

test.each([
  [
    { ...sound, bytes: 0, mediaType: undefined, isWhole: false },
    'file-empty',
    'File scan is empty',
  ],
  [
    { ...sound, mediaType: undefined, isWhole: false },
    'file-kind',
    'File scan is not a PDF, GIF, PNG, JPEG, TIFF or BMP file',
  ],
  [
    { ...sound, isWhole: false },
    'file-truncated',
    'File scan is not complete: it begins as a GIF file and is cut off',
  ],
  [
    { ...sound, isWhole: false, alsoIs: 'a PDF file' as const },
    'file-polyglot',
    'File scan is a GIF file and also a PDF file; a file is of one kind only',
  ],
])('%j', (structure, rule, detail) => {
  expect(findingsOfStructure('scan', structure)).toEqual([{ ...refusal, rule, detail }])
})

test('a file that is too large, missing or infected has a finding that names the file', () => {
  expect([
    tooLargeFinding('scan', 11, 10),
    missingFinding('scan'),
    infectedFinding('scan'),
  ]).toEqual([
    {
      ...refusal,
      rule: 'file-too-large',
      measured: { unit: 'bytes', value: 11 },
      allowed: { unit: 'bytes', max: 10 },
      detail: 'File scan has 11 bytes; at most 10 are allowed',
    },
    { ...refusal, rule: 'file-missing', detail: 'File scan was not uploaded in time' },
    { ...refusal, rule: 'file-infected', detail: 'File scan did not pass the security check' },
  ])
})
