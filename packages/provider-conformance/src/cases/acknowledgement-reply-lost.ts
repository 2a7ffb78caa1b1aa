import type { ConformanceCase, Evidence } from '../conformance-case.ts'
import { callsOf } from '../evidence.ts'
import { fingerprintOf } from '../fingerprint.ts'
import { judgeRun } from '../judge-run.ts'
import { combine } from '../judgement.ts'
import { loseFirstReply } from '../lose-first-reply.ts'

export const acknowledgementReplyLost: ConformanceCase = {
  id: 'C08',
  title: 'The response to the acknowledgement is lost',
  expectation: 'Repeat the acknowledgement with the same content, and continue.',
  documentCount: 4,
  script: () => loseFirstReply('acknowledgePrintRun'),
  judge: (evidence) =>
    combine({ violations: changedRepeats(evidence), outstanding: [] }, judgeRun(evidence)),
}

function changedRepeats(evidence: Evidence): string[] {
  const [first, ...repeats] = callsOf(evidence, 'acknowledgePrintRun')
  const isChanged = repeats.some(({ body }) => fingerprintOf(body) !== fingerprintOf(first?.body))
  return isChanged ? ['the acknowledgement was repeated with other content'] : []
}
