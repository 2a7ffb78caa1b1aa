import { expect, test } from 'vitest'
import { judgePagesMax, judgeSuppliedFile } from './contract-terms.ts'

test('a letter may have as many pages as its contract allows', () => {
  expect(judgePagesMax(10, 10)).toEqual([])
})

test('a letter with one page more is refused, with both numbers', () => {
  expect(judgePagesMax(11, 10)).toEqual([
    {
      rule: 'pages-max',
      severity: 'refusal',
      measured: { unit: 'pages', value: 11 },
      allowed: { unit: 'pages', max: 10 },
      detail: 'The document has 11 pages; at most 10 are allowed',
    },
  ])
})

const letter = { fileId: 'letter', mediaType: 'application/pdf' } as const
const picture = { fileId: 'letter', mediaType: 'image/png' } as const
const other = { fileId: 'other', mediaType: 'application/pdf' } as const

test('the single PDF that the contract names is printed', () => {
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
