import { expect, test } from 'vitest'
import { judgeSuppliedFile } from './supplied-file.ts'

const letter = { fileId: 'letter', mediaType: 'application/pdf' } as const
const picture = { fileId: 'letter', mediaType: 'image/png' } as const
const other = { fileId: 'other', mediaType: 'application/pdf' } as const

test('the one PDF that the contract names is printed', () => {
  expect(judgeSuppliedFile([letter], 'letter')).toEqual([])
})

test.for([
  ['no file', [], 'Exactly one file is printed, and it must be letter'],
  ['another file', [other], 'Exactly one file is printed, and it must be letter'],
  ['a second file', [letter, other], 'Exactly one file is printed, and it must be letter'],
  ['an image', [picture], 'File letter must be a PDF file'],
] as const)('%s is refused', ([, files, detail]) => {
  const findings = judgeSuppliedFile(files, 'letter')

  expect(findings.map(({ rule, detail }) => ({ rule, detail }))).toEqual([
    { rule: 'supplied-file', detail },
  ])
})
