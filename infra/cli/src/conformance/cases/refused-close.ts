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
    }),
}

/** Takes the document out of the first posting that contains it, just before that is confirmed. */
function script({ run, platform }: Stage): Script {
  const { documentId } = run.documents[lostPlace]!
  let isLost = false
  return {
    before: async ({ kind, params }) => {
      if (kind !== 'confirmPosting' || isLost) return
      const { rowCount } = await platform.database.pool.query(
        `update print_run_document set posting_id = null
         where batch_number = $1 and document_id = $2 and posting_id::text = $3`,
        [run.batchNumber, documentId, params.postingId],
      )
      isLost = rowCount === 1
    },
  }
}

function closeAgain(evidence: Evidence): string[] {
  const closes = callsOf(evidence, 'closePrintRun')
  if (closes.length !== 1 || closes[0]?.status !== 409) return []
  return ['closing is requested again after it was refused (409)']
}
