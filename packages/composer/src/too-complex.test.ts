import type { Finding } from '@despatch/domain/preflight/finding'
import { expect, test } from 'vitest'
import { taskLimits } from './task-limits.ts'
import { tooComplex } from './too-complex.ts'

const files = [
  { fileId: 'scan', bytes: Buffer.from('%PDF-1.7') },
  { fileId: 'photo', bytes: Buffer.from('GIF89a') },
]

const memory = { unit: 'bytes', max: 536_870_912 } as const
const ofMemory = 'takes more than 512 MiB of memory to check and compose.'

test.each<[broken: Parameters<typeof tooComplex>[0], finding: Omit<Finding, 'severity'>]>([
  [
    { limit: 'file-time', fileIndex: 0 },
    {
      rule: 'file-time',
      fileId: 'scan',
      allowed: { unit: 's', max: 5 },
      detail:
        'File scan takes more than 5 seconds of processor time, and 0.2 seconds for each of its pages, to check.',
    },
  ],
  [
    { limit: 'memory', fileIndex: 1 },
    { rule: 'image-too-large', fileId: 'photo', allowed: memory, detail: `File photo ${ofMemory}` },
  ],
  [
    { limit: 'memory', fileIndex: 0 },
    { rule: 'pdf-too-complex', fileId: 'scan', allowed: memory, detail: `File scan ${ofMemory}` },
  ],
  [
    { limit: 'task-time', fileIndex: undefined },
    {
      rule: 'file-time',
      allowed: { unit: 's', max: 60 },
      detail: 'The letter takes more than 60 seconds of processor time to check and compose.',
    },
  ],
])('names the file at fault and the limit: $0', (broken, finding) => {
  expect(tooComplex(broken, files, taskLimits)).toEqual({ ...finding, severity: 'refusal' })
})
