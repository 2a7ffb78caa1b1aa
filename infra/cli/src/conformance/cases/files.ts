import type { ConformanceCase, Evidence, Script, Stage } from '../conformance-case.ts'
import { callsOf, documentAt, reportedEvents, rightlyServed } from '../evidence.ts'
import { plainAnswer } from '../exchange.ts'
import { judgeRun } from '../judge-run.ts'
import { combine } from '../judgement.ts'
import { fileCall } from '../operation-names.ts'

/** Indexes in the run. `neverRight` is always served altered; `rightLater` is correct when it is fetched again. */
const neverRight = 1
const rightLater = 3

export const alteredFile: ConformanceCase = {
  id: 'C06',
  title: 'The bytes of a file do not match the manifest',
  expectation:
    'Check the SHA-256 of every file. Fetch a wrong file again, or refuse it in the acknowledgement; never print it. The other documents continue.',
  documentCount: 5,
  script: altering,
  judge: (evidence) => {
    const wrong = [neverRight, rightLater].map((place) => documentAt(evidence, place).documentId)
    return combine({ violations: printedUnchecked(evidence) }, judgeRun(evidence, wrong))
  },
}

function altering({ run }: Stage): Script {
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
  const posted = evidence.facts.documents
    .filter(({ documentId, isPosted }) => isPosted && !served.has(documentId))
    .map(({ documentId }) => documentId)
  return [...new Set([...printed, ...posted])].map(
    (documentId) => `${documentId} was printed although its bytes never matched`,
  )
}

const triesMax = 5

export const expiredLink: ConformanceCase = {
  id: 'C07',
  title: 'The address of a file has expired (403)',
  expectation: 'Request the address of the file again, and do not refuse the document.',
  documentCount: 4,
  script: expiring,
  judge: (evidence) =>
    combine(judgeRun(evidence), {
      violations: stubbornness(evidence),
      ...(isUnseen(evidence) && { notShown: 'no file was fetched by its own address' }),
    }),
}

/** The first address of the run that is used has expired and stays expired. */
function expiring({ run }: Stage): Script {
  let expired: string | undefined
  return {
    before: ({ kind, url, batchNumbers }) => {
      if (kind !== fileCall || !batchNumbers.includes(run.batchNumber)) return
      expired ??= url
      if (url !== expired) return
      return { fault: 'link-expired', answer: plainAnswer(403, 'AccessDenied') }
    },
  }
}

function stubbornness(evidence: Evidence): string[] {
  const tries = callsOf(evidence, fileCall).filter(({ fault }) => fault === 'link-expired').length
  if (tries <= triesMax) return []
  return [`the expired address was tried ${tries} times`]
}

function isUnseen({ facts, calls }: Evidence): boolean {
  return facts.isClosed && !calls.some(({ fault }) => fault === 'link-expired')
}
