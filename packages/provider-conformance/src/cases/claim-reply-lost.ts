import type { ConformanceCase } from '../conformance-case.ts'
import { judgeRun } from '../judge-run.ts'
import { loseFirstReply } from '../lose-first-reply.ts'

export const claimReplyLost: ConformanceCase = {
  id: 'C02',
  title: 'The response to the claim is lost',
  expectation:
    'Claim again, with the same Idempotency-Key or a new one, and print each document only once.',
  documentCount: 4,
  script: () => loseFirstReply('claimPrintRun'),
  judge: (evidence) => judgeRun(evidence),
}
