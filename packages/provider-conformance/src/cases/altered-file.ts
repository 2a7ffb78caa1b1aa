import type { ConformanceCase, Evidence, Script, Stage } from '../conformance-case.ts'
import { documentAt, reportedEvents, rightlyServed } from '../evidence.ts'
import { judgeRun } from '../judge-run.ts'
import { combine } from '../judgement.ts'
import { liveDocuments } from '../platform/platform-run.ts'

/** Indexes in the run. `neverRight` is always served altered; `rightLater` is correct when it is fetched again. */
const neverRight = 1
const rightLater = 3

export const alteredFile: ConformanceCase = {
  id: 'C06',
  title: 'The bytes of a file do not match the manifest',
  expectation:
    'Check the SHA-256 of every file. Fetch a wrong file again, or refuse it in the acknowledgement; never print it. The other documents continue.',
  documentCount: 5,
  script,
  judge: (evidence) => {
    const wrong = [neverRight, rightLater].map((place) => documentAt(evidence, place).documentId)
    return combine(
      { violations: printedUnchecked(evidence), outstanding: [] },
      judgeRun(evidence, wrong),
    )
  },
}

function script({ run }: Stage): Script {
  let isRight = false
  return {
    alters: (documentId) => {
      if (documentId === run.documents[neverRight]!.documentId) return true
      if (documentId !== run.documents[rightLater]!.documentId || isRight) return false
      isRight = true
      return true
    },
  }
}

/** Documents that were printed or posted before their correct bytes had been served. */
function printedUnchecked(evidence: Evidence): string[] {
  const printed = reportedEvents(evidence)
    .filter(({ event, call }) => {
      return event.type === 'PRINTED' && !rightlyServed(evidence, call).has(event.documentId)
    })
    .map(({ event }) => event.documentId)
  const served = rightlyServed(evidence)
  const posted = liveDocuments(evidence.run)
    .filter(({ documentId, postingId }) => postingId !== undefined && !served.has(documentId))
    .map(({ documentId }) => documentId)
  return [...new Set([...printed, ...posted])].map(
    (documentId) => `${documentId} was printed although its bytes never matched`,
  )
}
