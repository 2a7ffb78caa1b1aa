import { eventually } from '@despatch/testing/eventually'
import { type Administration, refusal, type User } from './an-administration.ts'

export const reason = 'wrong enclosure'

/** Calls the operations for bulk actions, as `operator` unless the test names another user. */
export function someBulkActions(administration: Administration) {
  const as = (method: 'GET' | 'POST', path: string, body?: unknown, user: User = 'operator') =>
    administration.as(user, method, path, body)

  const plan = (printJobKeys: readonly string[], others: object = {}) =>
    as('POST', '/bulk-actions', { action: 'hold', reason, printJobKeys, ...others })
  type Plan = Awaited<ReturnType<typeof plan>>

  function confirm({ body }: Plan, user: User = 'operator', others: object = {}) {
    const { bulkActionId, digest, printJobCount } = body
    const path = `/bulk-actions/${bulkActionId}/confirm`
    return as('POST', path, { digest, printJobCount, ...others }, user)
  }

  const endOf = ({ body: { bulkActionId } }: Plan) =>
    eventually(
      async () => {
        const { body } = await as('GET', `/bulk-actions/${bulkActionId}`)
        return body.state === 'ENDED' && body
      },
      { message: 'the bulk action has ended' },
    )

  /** Returns who did what with it, by the audit log, oldest first. */
  async function recordedOf(bulkActionId: string): Promise<[actor: string, action: string][]> {
    const events = await administration.audited(`about=${bulkActionId}`)
    return events.map(({ actor, action }): [string, string] => [actor, action]).toReversed()
  }

  return { as, plan, confirm, endOf, recordedOf }
}

export const conflict = (detail: string) =>
  refusal('409 CONFLICT', 'BulkActionConflict', detail, 'Not possible now')
