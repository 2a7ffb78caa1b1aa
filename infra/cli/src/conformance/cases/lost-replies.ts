import type { ConformanceCase, Evidence, Script, Stage } from '../conformance-case.ts'
import { callsOf, namedInPosting } from '../evidence.ts'
import { fingerprintOf } from '../fingerprint.ts'
import { judgeRun } from '../judge-run.ts'
import { combine } from '../judgement.ts'
import { type Call, isDone } from '../transcript.ts'

export const claimReplyLost: ConformanceCase = {
  id: 'C02',
  title: 'The response to the claim is lost',
  expectation:
    'Claim again, with the same Idempotency-Key or a new one, and print each document only once.',
  documentCount: 4,
  script: (stage) => loseFirstReply(stage, 'claimPrintRun'),
  judge: (evidence) => judgeRun(evidence),
}

export const acknowledgementReplyLost: ConformanceCase = {
  id: 'C08',
  title: 'The response to the acknowledgement is lost',
  expectation: 'Repeat the acknowledgement with the same content, and continue.',
  documentCount: 4,
  script: (stage) => loseFirstReply(stage, 'acknowledgePrintRun'),
  judge: (evidence) => combine({ violations: changedRepeats(evidence) }, judgeRun(evidence)),
}

export const postingRepliesLost: ConformanceCase = {
  id: 'C14',
  title: 'The responses to the posting and to its confirmation are lost',
  expectation:
    'Repeat the posting with the same Idempotency-Key and content, and then the confirmation, so that there is only one posting.',
  documentCount: 4,
  script: (stage) => loseFirstReply(stage, 'createPosting', 'confirmPosting'),
  judge: (evidence) => combine({ violations: secondPostings(evidence) }, judgeRun(evidence)),
}

/**
 * Cuts the connection after the work of the first call of each of these operations. A client may still be busy with the
 * run of the case before, whose calls are answered.
 */
export function loseFirstReply(
  { run }: Pick<Stage, 'run'>,
  ...kinds: readonly string[]
): Pick<Required<Script>, 'after'> {
  const lost = new Set<string>()
  return {
    after: (call) => {
      if (!kinds.includes(call.kind) || lost.has(call.kind) || !isDone(call)) return
      if (!call.batchNumbers.includes(run.batchNumber)) return
      lost.add(call.kind)
      return 'reply-lost'
    },
  }
}

function changedRepeats(evidence: Evidence): string[] {
  const [first, ...repeats] = callsOf(evidence, 'acknowledgePrintRun')
  const isChanged = repeats.some(({ body }) => fingerprintOf(body) !== fingerprintOf(first?.body))
  return isChanged ? ['the acknowledgement was repeated with other content'] : []
}

function secondPostings(evidence: Evidence): string[] {
  const postings = callsOf(evidence, 'createPosting')
  const lost = postings.find(({ fault }) => fault === 'reply-lost')
  if (!lost) return []
  const later = postings.slice(postings.indexOf(lost) + 1)
  const underSameKey = later.filter(({ idempotencyKey }) => idempotencyKey === lost.idempotencyKey)
  const isChanged = underSameKey.some(
    ({ body }) => fingerprintOf(body) !== fingerprintOf(lost.body),
  )
  const again = later.filter(
    (call) => call.idempotencyKey !== lost.idempotencyKey && coversAgain(evidence, lost, call),
  )
  return [
    ...(isChanged ? ['the posting was repeated with its key and other content'] : []),
    ...(again.length > 0 ? ['the same documents were posted again with another key'] : []),
  ]
}

/** A posting that names no documents covers all that are left. After one of that kind, none is left. */
function coversAgain(evidence: Evidence, lost: Call, call: Call): boolean {
  const before = namedInPosting(evidence, lost)
  const named = namedInPosting(evidence, call)
  if (named === undefined) return before === undefined
  return before === undefined || named.some((documentId) => before.includes(documentId))
}
