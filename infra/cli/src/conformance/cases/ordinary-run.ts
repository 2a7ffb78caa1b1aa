import type { ConformanceCase, Evidence } from '../conformance-case.ts'
import { callsOf, rightlyServed } from '../evidence.ts'
import { judgeRun } from '../judge-run.ts'
import { combine } from '../judgement.ts'

export const ordinaryRun: ConformanceCase = {
  id: 'C01',
  title: 'A complete ordinary run',
  expectation:
    'Claim the run, read the manifest, fetch every file, acknowledge with the correct counts and digest, post, confirm and close.',
  documentCount: 6,
  script: () => ({}),
  judge: (evidence) => combine(judgeRun(evidence), { violations: postedUnseen(evidence) }),
}

/** A letter that was posted without fetching its file cannot be the right one. */
function postedUnseen(evidence: Evidence): string[] {
  if (callsOf(evidence, 'confirmPosting').length === 0) return []
  const fetched = rightlyServed(evidence)
  const unseen = evidence.facts.documents.filter(
    ({ documentId, isPosted }) => isPosted && !fetched.has(documentId),
  )
  return unseen.map(
    ({ documentId }) => `${documentId} was posted although its file was never fetched`,
  )
}
