import type { ConformanceCase, Evidence, Script, Stage } from '../conformance-case.ts'
import { callsOf, documentAt } from '../evidence.ts'
import { judgeRun } from '../judge-run.ts'
import { combine } from '../judgement.ts'

const lostPlace = 1

export const refusedClose: ConformanceCase = {
  id: 'C15',
  title: 'The run cannot be closed because a document is missing (409)',
  expectation:
    'The platform has lost the confirmation of one document. Find the document in the response or the reconciliation, post it or report its outcome, and close again.',
  documentCount: 4,
  script,
  judge: (evidence) =>
    combine(judgeRun(evidence, [documentAt(evidence, lostPlace).documentId]), {
      outstanding: closeAgain(evidence),
      violations: [],
    }),
}

function script({ run }: Stage): Script {
  run.quirks.lostDocumentId = run.documents[lostPlace]!.documentId
  return {}
}

function closeAgain(evidence: Evidence): string[] {
  const closes = callsOf(evidence, 'closePrintRun')
  if (closes.length !== 1 || closes[0]?.status !== 409) return []
  return ['closing is requested again after it was refused (409)']
}
