import { note } from '@despatch/domain/preflight/finding'
import { expect, test } from 'vitest'
import { makeDocument } from './make-document.ts'
import { type DocumentTerms, planDocument } from './plan-document.ts'

const terms: DocumentTerms = {
  ...({ production: 'letter', plex: 'duplex', ruleSet: 'standard-2026-11' } as const),
  suppliedFileKey: 'pdf',
  printsHandlingInstruction: true,
  pagesMax: 10,
  template: null,
  marks: true,
  ...({ addressPlacement: 'own-page', documentId: 'D1', submittedAt: new Date(0) } as const),
  strict: false,
  refusedRules: ['P515'],
  standardParams: {
    jobType: 'LETTER',
    templateReference: 'LETTER',
    recipientName: 'Ms A Person',
    address: { internationalAddress: { line1: '1 Rue Haute', country: 'France' } },
  },
}
const printed = {
  printableAddress: { line1: 'A', recipientLine1: 'B', recipientLine2: '', dps: null },
  addressFindings: [note('address-cut', 'line1 is cut.')],
  postFindings: [note('class-abroad', 'FIRST')],
}

test.each([
  ['letter', ['address-cut note', 'class-abroad refusal']],
  ['as-supplied', ['class-abroad refusal', 'supplied-file refusal']],
] as const)(
  'production %s: judges the findings of the address and of the class',
  async (production, expected) => {
    const request = planDocument({ ...terms, production }, printed, [])

    const { findings } = await makeDocument(request)

    expect(findings.map(({ rule, severity }) => `${rule} ${severity}`).sort()).toEqual(expected)
  },
)
