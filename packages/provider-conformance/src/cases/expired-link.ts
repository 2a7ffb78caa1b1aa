import type { ConformanceCase, Evidence, Script } from '../conformance-case.ts'
import { callsOf } from '../evidence.ts'
import { plainAnswer } from '../exchange.ts'
import { judgeRun } from '../judge-run.ts'
import { combine } from '../judgement.ts'
import { fileCall } from '../operation-names.ts'

const triesMax = 5

export const expiredLink: ConformanceCase = {
  id: 'C07',
  title: 'The address of a file has expired (403)',
  expectation: 'Request the address of the file again, and do not refuse the document.',
  documentCount: 4,
  script,
  judge: (evidence) =>
    combine(judgeRun(evidence), {
      violations: stubbornness(evidence),
      outstanding: [],
      ...(isUnseen(evidence) && { notShown: 'no file was fetched by its own address' }),
    }),
}

/** The first address that is used has expired and stays expired. */
function script(): Script {
  let expired: string | undefined
  return {
    before: ({ kind, url, batchNumbers }) => {
      if (kind !== fileCall || batchNumbers.length === 0) return
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

function isUnseen({ run, calls }: Evidence): boolean {
  return run.closedAt !== undefined && !calls.some(({ fault }) => fault === 'link-expired')
}
