import type { Database } from '@despatch/store/database'
import { eventually } from '@despatch/testing/eventually'
import { type Asking, type AskingLetter, ask, untilAnswered } from './ask.ts'

export const jobsPath = '/print-request/v1/print/jobs'

const reachedDeadlineMs = 300_000

/**
 * Posts one letter with an Idempotency-Key, and retries until it has a final answer. `members` are added to the
 * request; `templateReference` names another contract.
 */
export async function postLetter(
  asking: Asking,
  letter: AskingLetter,
  { templateReference = 'LETTER', ...members }: Record<string, unknown>,
): Promise<void> {
  const body = JSON.stringify({
    id: letter.id,
    standardParams: {
      jobType: 'LETTER',
      templateReference,
      recipientName: 'Ms A Person',
      address: {
        unstructuredAddress: { line1: '1 High Street', line5: 'ANYTOWN', postcode: 'AB1 2CD' },
      },
    },
    ...members,
  })
  const headers = { 'content-type': 'application/json', 'idempotency-key': letter.id }
  await untilAnswered(asking, () =>
    ask(asking, letter, { operation: 'post', path: jobsPath, method: 'POST', body, headers }),
  )
}

/** Waits until the letter is in one of these statuses. Throws after 300 s. */
export async function untilIn(
  { pool }: Database,
  id: string,
  statuses: readonly string[],
): Promise<void> {
  await eventually(
    async () => {
      const { rows } = await pool.query<{ status: string }>(
        'select status from print_job where id = $1',
        [id],
      )
      return rows[0] && statuses.includes(rows[0].status)
    },
    { deadlineMs: reachedDeadlineMs, message: `${id} is ${statuses.join(' or ')}` },
  )
}
