import { inspectPages } from '@despatch/documents/preflight/inspect-pages'
import { proofPage } from '@despatch/documents/preflight/proof-page'
import type { Finding } from '@despatch/domain/preflight/finding'
import { ruleSets } from '@despatch/domain/preflight/rule-set'
import { aPdfThatDraws, draw } from '../../packages/documents/test/preflight-fixtures.ts'

export const proofPath = 'docs/preflight-proof.png'

const ruleSet = ruleSets['window-letter-2026-11']
const terms = { fileId: 'reminder', part: 'supplied', marks: true } as const

/** Returns the findings of the letter that docs/preflight.md shows. */
export async function proofFindings(): Promise<readonly Finding[]> {
  return inspectPages(await aLetterWithFaults(), { ...terms, ruleSet })
}

/** Returns its proof as PNG. */
export async function drawProof(): Promise<Uint8Array> {
  const source = { ...terms, pdf: await aLetterWithFaults() }
  const png = await proofPage({ source, page: 1, findings: await proofFindings(), ruleSet })
  if (!png) throw new Error('the example has no page')
  return png
}

/** A bar that reaches the edge of the paper, a reference below the window, and a white postcode within it. */
function aLetterWithFaults(): Promise<Uint8Array> {
  const lines = [
    'Dear Customer',
    '',
    'You told us that you have moved. You must also tell us about each vehicle that you keep,',
    'so that its registration certificate has your new address.',
    '',
    'You can do this online. If you have done so already, you need not do anything.',
  ]
  return aPdfThatDraws({
    draws: [
      ...['Mr A Example', '1 Example Street', 'Exampletown'].map((line, index) =>
        draw.text(26, 44 + index * 4, line),
      ),
      draw.text(26, 60, 'EX9 9EX', { grey: 1 }),
      draw.text(30, 78, 'Our reference: 12/345', { size: 9 }),
      ...lines.map((line, index) => draw.text(20, 105 + index * 5, line)),
      draw.box(0, 270, 210, 8, 0.4),
      draw.text(20, 275.2, 'Example Agency', { grey: 1, size: 11 }),
    ],
  })
}
