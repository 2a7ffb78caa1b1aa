import { isDeepStrictEqual } from 'node:util'
import { type Finding, isRefused } from '@despatch/domain/preflight/finding'
import { ruleSets } from '@despatch/domain/preflight/rule-set'
import type { DocumentRequest } from '../../src/document-request.ts'
import type { MediaType } from '../../src/file-signature.ts'
import { inspectContent } from '../../src/inspect-content.ts'
import { inspectPdf } from '../../src/pdf-safety/inspect-pdf.ts'
import { inspectPages } from '../../src/preflight/inspect-pages.ts'
import { validateLetter } from '../../src/validate-letter.ts'
import { aLetter } from '../letters.ts'
import { findOnWholePainting } from '../whole-painting.ts'

export type Target = keyof typeof targets

const fileId = 'file-1'
const terms = {
  at: new Date('2026-03-04T05:06:07Z'),
  plex: 'duplex',
  pagesMax: 20,
  ruleSet: 'standard-2026-11',
  marks: true,
  files: [],
} as const
const letter = {
  ...terms,
  production: 'letter',
  title: 'Letter',
  documentId: 'D100001',
  printableAddress: aLetter.printableAddress,
} as const

type Findings = readonly Finding[]

/** Every function that takes outside bytes and accepts or refuses them. Each returns what it finds. */
export const targets = {
  inspect: async (bytes: Uint8Array, mediaType: MediaType): Promise<Findings> =>
    (await inspectContent({ fileId, mediaType, bytes })).findings,
  letter: (bytes: Uint8Array) => makeLetter({ ...letter, addressPlacement: 'own-page' }, bytes),
  'first-page': (bytes: Uint8Array) =>
    makeLetter({ ...letter, addressPlacement: 'first-page' }, bytes),
  'as-supplied': (bytes: Uint8Array) =>
    makeLetter({ ...terms, production: 'as-supplied', suppliedFileKey: fileId }, bytes),
  painting: comparePaintings,
}

/** Fails if something that is not painted would have been found. */
async function comparePaintings(bytes: Uint8Array): Promise<Findings> {
  const { document, isRevised, findings: refusals } = await inspectPdf(bytes)
  if (!document) return refusals
  const ruleSet = ruleSets[terms.ruleSet]
  const findings = await inspectPages(bytes, {
    ruleSet,
    part: 'file-page',
    marks: true,
    isRevised,
    findingsMax: Number.POSITIVE_INFINITY,
  })
  const whole = await findOnWholePainting(bytes, ruleSet)
  const ofInk = findings.filter(({ rule }) => rule === 'print-area' || rule === 'reserved-strip')
  if (whole && !isDeepStrictEqual(ofInk, whole)) {
    throw new Error(`found ${JSON.stringify(ofInk)}, and on the whole ${JSON.stringify(whole)}`)
  }
  return findings
}

async function makeLetter(request: DocumentRequest, bytes: Uint8Array): Promise<Findings> {
  const { findings, document } = await validateLetter({
    request,
    files: [{ fileId, bytes }],
    findings: [],
  })
  if (isRefused(findings) !== (document === undefined)) {
    throw new Error('a letter is refused and made, or neither')
  }
  return findings
}
