import type { FindingResponse } from '@despatch/contracts/print-request/finding'
import { expect, test } from 'vitest'
import { describeFinding } from './describe-finding.ts'

const size: FindingResponse = {
  rule: 'page-size',
  number: 'P401',
  severity: 'refusal',
  fileId: 'letter',
  page: 2,
  measured: { unit: 'mm', value: [297, 210] },
  allowed: { unit: 'mm', min: [208, 295], max: [212, 299] },
  detail: 'Page 2 lies on its side.',
}

test.each<[line: string, finding: FindingResponse]>([
  ['P401 page 2: 297 × 210 mm, allowed 208 × 295 to 212 × 299 mm', size],
  [
    'P402: 21 pages, allowed up to 20 pages',
    {
      rule: 'pages-max',
      number: 'P402',
      severity: 'refusal',
      measured: { unit: 'pages', value: 21 },
      allowed: { unit: 'pages', max: 20 },
      detail: 'Too many.',
    },
  ],
  [
    'P407 page 1 (a note): Page 1 has fonts that are not embedded.',
    {
      rule: 'font-not-embedded',
      number: 'P407',
      severity: 'note',
      page: 1,
      detail: 'Page 1 has fonts that are not embedded.',
    },
  ],
  [
    'a-later-rule: Something new.',
    { rule: 'a-later-rule', severity: 'refusal', detail: 'Something new.' },
  ],
])('%s', (line, finding) => {
  expect(describeFinding(finding)).toBe(line)
})
