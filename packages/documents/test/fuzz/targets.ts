import { isRefused } from '@despatch/domain/preflight/finding'
import type { DocumentRequest } from '../../src/document-request.ts'
import type { MediaType } from '../../src/file-signature.ts'
import { inspectContent } from '../../src/inspect-content.ts'
import { validateLetter } from '../../src/validate-letter.ts'
import { aLetter } from '../letters.ts'

export type Verdict = 'accept' | 'reject'
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

/** Every function that takes outside bytes and accepts or refuses them. */
export const targets = {
  inspect: async (bytes: Uint8Array, mediaType: MediaType): Promise<Verdict> => {
    const { findings } = await inspectContent({ fileId, mediaType, bytes })
    return isRefused(findings) ? 'reject' : 'accept'
  },
  letter: (bytes: Uint8Array) => makeLetter({ ...letter, addressPlacement: 'own-page' }, bytes),
  'first-page': (bytes: Uint8Array) =>
    makeLetter({ ...letter, addressPlacement: 'first-page' }, bytes),
  'as-supplied': (bytes: Uint8Array) =>
    makeLetter({ ...terms, production: 'as-supplied', suppliedFileKey: fileId }, bytes),
}

async function makeLetter(request: DocumentRequest, bytes: Uint8Array): Promise<Verdict> {
  const { findings, document } = await validateLetter({
    request,
    files: [{ fileId, bytes }],
    findings: [],
  })
  if (isRefused(findings) !== (document === undefined)) {
    throw new Error('a letter is refused and made, or neither')
  }
  return document ? 'accept' : 'reject'
}
