import type { ConformanceCase, Evidence, Script, Stage } from '../conformance-case.ts'
import { callsOf, documentAt } from '../evidence.ts'
import { judgeRun } from '../judge-run.ts'
import { combine } from '../judgement.ts'

const withdrawnPlace = 2

export const withdrawnDocuments: ConformanceCase = {
  id: 'C10',
  title: 'A document is withdrawn between the list and the claim',
  expectation:
    'Use the manifest, which has version 2 and a gap in its sequence. Acknowledge its counts, not those of the list.',
  documentCount: 5,
  script,
  judge: (evidence) =>
    combine(judgeRun(evidence), { violations: touchedWithdrawn(evidence), outstanding: [] }),
}

function script({ run }: Stage): Script {
  return {
    before: ({ kind, batchNumbers }) => {
      const isClaim = kind === 'claimPrintRun' && batchNumbers.includes(run.batchNumber)
      if (!isClaim || run.claimedAt || run.manifestVersion > 1) return undefined
      run.documents[withdrawnPlace]!.isWithdrawn = true
      run.manifestVersion += 1
      return undefined
    },
  }
}

function touchedWithdrawn(evidence: Evidence): string[] {
  const { documentId } = documentAt(evidence, withdrawnPlace)
  const isTouched = callsOf(evidence, 'getDocumentContent').some(
    ({ params }) => params.documentId === documentId,
  )
  return isTouched ? [`the file of ${documentId}, which is not in the manifest, was requested`] : []
}
