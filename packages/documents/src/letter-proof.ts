import type { Finding } from '@despatch/domain/preflight/finding'
import { ruleSets } from '@despatch/domain/preflight/rule-set'
import type { DocumentProgress, DocumentRequest } from './document-request.ts'
import { type AbsentFile, draftLetter, type PageOrigin } from './draft-letter.ts'
import { proofPage } from './preflight/proof-page.ts'
import { proofPdf } from './preflight/proof-pdf.ts'
import type { ProofSource } from './preflight/proof-source.ts'

/** A letter to show: what it is made from, its document if there is one, and its findings. */
export type LetterToDraw = {
  request: DocumentRequest
  /** Files that the request does not contain, each with the notice that replaces it. */
  absent: readonly AbsentFile[]
  document?: Uint8Array
  findings: readonly Finding[]
}

/** Returns the letter's proof as PDF: the findings, then each page with its own. */
export async function letterProof(
  letter: LetterToDraw,
  progress: DocumentProgress,
): Promise<Uint8Array> {
  const { source, ...shown } = await sourceOf(letter, progress)
  return proofPdf({ sources: [source], ...shown })
}

/** Returns a page of the letter, from 1, as PNG. Returns undefined if there is no such page. */
export async function letterProofPage(
  letter: LetterToDraw,
  page: number,
  progress: DocumentProgress,
): Promise<Uint8Array | undefined> {
  return proofPage({ ...(await sourceOf(letter, progress)), page })
}

/** Returns the whole letter as one source: its document, or else a draft of what can be shown. */
async function sourceOf(
  { request, absent, document, findings }: LetterToDraw,
  progress: DocumentProgress,
) {
  const isDraftNeeded = !document || findings.some(({ fileId }) => fileId !== undefined)
  const draft = isDraftNeeded ? await draftLetter(request, absent, progress) : undefined
  progress.workingOnLetter()
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

/** Converts a finding's page to the page of the letter. Its sentence still names the page of the file. */
function onLetter({ fileId, ...finding }: Finding, origins: readonly PageOrigin[]): Finding {
  const { page = 1 } = finding
  if (fileId === undefined) return { ...finding, page }
  const index = origins.findIndex((origin) => origin.fileId === fileId && origin.page === page)
  return index < 0 ? { ...finding, fileId } : { ...finding, page: index + 1 }
}
