import { inspectPages } from '@despatch/documents/preflight/inspect-pages'
import { newestRuleSetId, ruleSets } from '@despatch/domain/preflight/rule-set'
import { aPdfThatDraws, draw } from '../../packages/documents/test/preflight-fixtures.ts'

export const exampleLetterPath = 'docs/examples/letter.pdf'

const lines = [
  'Dear Ms Example',
  '',
  'This is an example of a letter. Despatch checks it, adds a page with your address,',
  'and hands both to a print factory, which posts them in one envelope.',
  '',
  'Yours sincerely',
  '',
  'Example Agency',
]

/** Returns the letter of the README's first example: one page of A4 that breaks no rule of preflight. */
export async function drawExampleLetter(): Promise<Uint8Array> {
  const pdf = await aPdfThatDraws({
    draws: lines.map((line, index) => draw.text(20, 40 + index * 6, line, { size: 11 })),
  })
  const findings = await inspectPages(pdf, {
    fileId: 'letter',
    part: 'supplied',
    marks: true,
    ruleSet: ruleSets[newestRuleSetId],
  })
  const refused = findings.filter(({ severity }) => severity === 'refusal')
  if (refused.length > 0) throw new Error(refused.map(({ detail }) => detail).join(' '))
  return pdf
}
