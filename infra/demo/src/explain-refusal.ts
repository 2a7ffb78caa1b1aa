import type { FindingResponse } from '@despatch/contracts/print-request/finding'
import type { ValidationResponse } from '@despatch/contracts/print-request/validation-response'
import type { OutputFile } from './collect-documents.ts'
import type { LetterProgress } from './letter-progress.ts'
import { describeFinding } from './screen/describe-finding.ts'
import type { Screen } from './screen/screen.ts'
import { readProof } from './users/consumer.ts'
import type { Session } from './users/session.ts'

/** Everything that a consumer can read about why a letter is rejected, before it is posted and after. */
export type Refusal = {
  progress: LetterProgress
  dryRun: ValidationResponse
  /** From the timeline. */
  findings: readonly FindingResponse[]
  /** The letter as a PDF, and the first faulty page as a picture. */
  proofs: readonly OutputFile[]
}

/** Acts as the consumer of a rejected letter: reads the findings, and fetches the proof that shows them. */
export async function explainRefusal(
  progress: LetterProgress,
  { session, dryRun, screen }: { session: Session; dryRun: ValidationResponse; screen: Screen },
): Promise<Refusal> {
  const { number, id } = progress.letter
  const findings = progress.events.at(-1)?.findings ?? []
  const page = findings.find(({ severity }) => severity === 'refusal')?.page ?? 1
  const proofs = [
    { name: `proof-letter-${number}.pdf`, bytes: await readProof(session, id) },
    { name: `proof-letter-${number}-page-${page}.png`, bytes: await readProof(session, id, page) },
  ]
  screen.say(
    'consumer',
    `read in the timeline of letter ${number} what was found, and fetched its proof:`,
    findings.map(describeFinding),
  )
  return { progress, dryRun, findings, proofs }
}
