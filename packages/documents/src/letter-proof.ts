import type { Finding } from '@despatch/domain/preflight/finding'
import { ruleSets } from '@despatch/domain/preflight/rule-set'
import type { DocumentProgress, DocumentRequest } from './document-request.ts'
import { type AbsentFile, draftLetter, type PageOrigin } from './draft-letter.ts'
import { proofPage } from './preflight/proof-page.ts'
import { proofPdf } from './preflight/proof-pdf.ts'
import type { ProofSource } from './preflight/proof-source.ts'

/** A letter to be shown: what it is made of, its document when there is one, and what was found in it. */
export type LetterToShow = {
  request: DocumentRequest
  /** Files that are not among those of the request, with what is said in their place. */
  absent: readonly AbsentFile[]
  document?: Uint8Array
  findings: readonly Finding[]
}

/** The letter's proof as PDF: what was found, and each page with it. */
export async function letterProof(
  letter: LetterToShow,
  progress: DocumentProgress,
): Promise<Uint8Array> {
  const { source, ...shown } = await sourceOf(letter, progress)
  return proofPdf({ sources: [source], ...shown })
}

/** A page of the letter, from 1, as PNG. Undefined: the letter has no such page. */
export async function letterProofPage(
  letter: LetterToShow,
  page: number,
  progress: DocumentProgress,
): Promise<Uint8Array | undefined> {
  return proofPage({ ...(await sourceOf(letter, progress)), page })
}

/** The whole letter as one source. Its document is shown as it is; where there is none, what can be put together. */
async function sourceOf(
  { request, absent, document, findings }: LetterToShow,
  progress: DocumentProgress,
) {
  const isDraftNeeded = !document || findings.some(({ fileId }) => fileId !== undefined)
  const draft = isDraftNeeded ? await draftLetter(request, absent, progress) : undefined
  progress.working()
  const isSupplied = request.production === 'as-supplied'
  const source: ProofSource = {
    pdf: document ?? draft!.pdf,
    part: isSupplied ? 'supplied' : 'first-page-with-our-address',
    marks: !isSupplied && request.marks,
  }
  return {
    source,
    ruleSet: ruleSets[request.ruleSet],
    findings: findings.map((finding) => onLetter(finding, draft?.origins ?? [])),
  }
}

/** A finding with the page of the letter that it is about; the sentence names the page of the file as before. */
function onLetter({ fileId, ...finding }: Finding, origins: readonly PageOrigin[]): Finding {
  const { page = 1 } = finding
  if (fileId === undefined) return { ...finding, page }
  const index = origins.findIndex((origin) => origin.fileId === fileId && origin.page === page)
  return index < 0 ? { ...finding, fileId } : { ...finding, page: index + 1 }
}
