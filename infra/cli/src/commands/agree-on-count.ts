import { type Agreement, refuseUnlessAgreed } from '../agree.ts'
import type { CommandContext } from '../command-context.ts'
import type { CommandOutput } from '../program.ts'
import type { Session } from '../session.ts'

type Counted = { documentCount: number }

type AgreementOnCount<Count extends Counted> = Omit<Agreement, 'describe'> & {
  /** The path of the action. Its count is at `/count` below. */
  path: string
  /** The request of the count. Absent: everything that the action would include is counted. */
  choice?: object
  describe: (counted: Count) => string
}

/**
 * As `refuseUnlessAgreed`, for documents that the server counts. Without a refusal, `expected` belongs in the request
 * of the action, which refuses more documents than were agreed to. With `--yes` nothing is counted or expected.
 */
export async function agreeOnCount<Count extends Counted>(
  { send }: Session,
  { path, choice, describe, ...agreement }: AgreementOnCount<Count>,
  context: CommandContext,
): Promise<{ refusal?: CommandOutput | undefined; expected: { expectedCount?: number } }> {
  const expected: { expectedCount?: number } = {}
  const describeCount = async () => {
    const counted = await send<Count>('POST', `${path}/count`, choice)
    expected.expectedCount = counted.documentCount
    return { document: counted, text: describe(counted) }
  }
  const refusal = await refuseUnlessAgreed({ ...agreement, describe: describeCount }, context)
  return { refusal, expected }
}
