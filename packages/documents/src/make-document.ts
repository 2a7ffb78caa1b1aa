import { hash } from 'node:crypto'
import { type Finding, findingsToReport, isRefused } from '@despatch/domain/preflight/finding'
import { ruleSets } from '@despatch/domain/preflight/rule-set'
import { estimateWeightGrams } from '@despatch/domain/print-run/weight'
import { makeAddressBlock } from './address-block.ts'
import { composeLetter, type LetterFile } from './compose-letter.ts'
import { countSheets } from './composed-document.ts'
import { judgePagesMax, judgeSuppliedFile } from './contract-terms.ts'
import {
  type DocumentProgress,
  type DocumentRequest,
  type MadeDocument,
  printsOnFirstPage,
  unwatched,
} from './document-request.ts'
import { type InspectedContent, inspectContent, ofFile } from './inspect-content.ts'
import { findOnce } from './known-findings.ts'
import { inspectPages } from './preflight/inspect-pages.ts'

/**
 * Checks a letter by every rule and makes its document if none refuses it. Returns all findings, not only the first. A
 * rule that must open a file is skipped if an earlier rule says that the file must not be opened.
 */
export async function makeDocument(
  request: DocumentRequest,
  progress: DocumentProgress = unwatched,
): Promise<MadeDocument> {
  const inspected: InspectedContent[] = []
  for (const [index, file] of request.files.entries()) {
    progress.working(index)
    inspected.push(await inspectContent(file))
  }
  progress.workingOnLetter()
  const pages = countPages(request, inspected)
  const beforePages = [
    ...inspected.flatMap(({ findings }) => findings),
    ...judgeTerms(request),
    ...judgePagesMax(pages, request.pagesMax),
  ]
  const isTooLong = pages > request.pagesMax
  const findings = findingsToReport([
    ...beforePages,
    ...(isTooLong ? [] : await judgePages(request, inspected, progress)),
  ])
  if (isRefused(findings)) return { findings }

  return compose(request, inspected, findings, progress)
}

/** Counts the known pages of the letter. A file that must not be opened counts as none. */
function countPages(request: DocumentRequest, inspected: readonly InspectedContent[]): number {
  const own = request.production === 'letter' && !printsOnFirstPage(request) ? 1 : 0
  return inspected.reduce((sum, { pages = 0 }) => sum + pages, own)
}

/** Checks the letter as a whole: its address, or for production as supplied that the file is the expected one. */
function judgeTerms(request: DocumentRequest): readonly Finding[] {
  const { addressFindings = [] } = request
  if (request.production === 'as-supplied') {
    return [...judgeSuppliedFile(request.files, request.suppliedFileKey), ...addressFindings]
  }
  const block = makeAddressBlock(request.printableAddress, request.handlingInstruction)
  return [...(block.kind === 'unprintable' ? block.findings : []), ...addressFindings]
}

/**
 * Checks each sound PDF page by page as it prints, unless this thread has checked it. Images need no check, because we
 * place them.
 */
async function judgePages(
  request: DocumentRequest,
  inspected: readonly InspectedContent[],
  progress: DocumentProgress,
): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const [index, { fileId, bytes }] of request.files.entries()) {
    const { hash, isRevised, pages, openDocument } = inspected[index]!
    if (!openDocument) continue
    progress.working(index, pages)
    const part = partOf(request, index)
    const marks = request.production === 'letter' && request.marks
    const key = ['pages', request.ruleSet, part, marks, hash]
    const found = await findOnce(key, fileId, async (named) => {
      const ruleSet = ruleSets[request.ruleSet]
      const document = await openDocument()
      return {
        findings: await inspectPages(bytes, {
          ruleSet,
          part,
          marks,
          fileId: named,
          document,
          isRevised,
        }),
      }
    })
    findings.push(...found.findings)
  }
  progress.workingOnLetter()
  return findings
}

function partOf(request: DocumentRequest, index: number) {
  if (request.production === 'as-supplied') return 'supplied'
  return index === 0 && printsOnFirstPage(request) ? 'first-page-with-our-address' : 'file-page'
}

async function compose(
  request: DocumentRequest,
  inspected: readonly InspectedContent[],
  findings: readonly Finding[],
  progress: DocumentProgress,
): Promise<MadeDocument> {
  const { plex } = request
  if (request.production === 'as-supplied') {
    return finish(
      request.files[0]!.bytes,
      { pages: countPages(request, inspected), plex },
      findings,
    )
  }
  const { files, ...letter } = request
  const pages: LetterFile[] = []
  for (const [index, file] of files.entries()) {
    const { pages: count, openDocument } = inspected[index]!
    pages.push({ ...file, count, document: await openDocument?.() })
  }
  const composed = await composeLetter({ ...letter, pages, progress })
  if (composed.kind === 'composed') {
    return finish(composed.pdf, { pages: composed.pages, plex }, findings)
  }
  const named = composed.findings.map((finding) =>
    finding.fileId === undefined ? finding : ofFile(finding.fileId, finding),
  )
  return { findings: findingsToReport([...findings, ...named]) }
}

function finish(
  pdf: Uint8Array,
  { pages, plex }: { pages: number; plex: DocumentRequest['plex'] },
  findings: readonly Finding[],
): MadeDocument {
  const sheets = countSheets(pages, plex)
  const sha256 = hash('sha256', pdf)
  return {
    findings,
    document: { pdf, sha256, pages, sheets, weightGrams: estimateWeightGrams(sheets) },
  }
}
