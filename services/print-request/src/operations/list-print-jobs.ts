import type { SealedBox } from '@despatch/access/sealed-box'
import { listPrintJobs as operation } from '@despatch/contracts/print-request/operations'
import { invalidFields } from '@despatch/domain/problem'
import type { Api } from '@despatch/http/api'
import { type WorkLimits, withinLimit } from '@despatch/letters/within-limit'
import { type ListSources, listOwnPrintJobs } from '../print-job/list-own-print-jobs.ts'

type ListContext = Omit<ListSources, 'inTurn'> & {
  /** Limits how many lists that take long are read at the same time. */
  limits: WorkLimits
  boxFor: (purpose: string) => SealedBox
}

/** GET /print/jobs: lists the consumer's own print jobs, newest first. An addition to the specification. */
export function listPrintJobs(api: Api, { db, searchHasher, limits, boxFor }: ListContext): void {
  api.route({
    ...operation,
    handler: async ({ caller: { consumerId }, query }, reply) => {
      const { cursor, limit, createdFrom, createdTo, ...filters } = query
      const cursors = boxFor(`cursor of the print jobs of ${consumerId}`)
      const inTurn = <Result>(read: () => Promise<Result>) =>
        withinLimit(limits, { consumerId, reply }, 'list', read)
      const { printJobs, nextBefore } = await listOwnPrintJobs(
        { db, searchHasher, inTurn },
        {
          ...filters,
          consumerId,
          createdFrom: createdFrom === undefined ? undefined : new Date(createdFrom),
          createdTo: createdTo === undefined ? undefined : new Date(createdTo),
          before: cursor === undefined ? undefined : unsealCursor(cursors, cursor),
          jobsMax: limit,
        },
      )
      return {
        printJobs,
        ...(nextBefore !== undefined && { nextCursor: sealCursor(cursors, nextBefore) }),
      }
    },
  })
}

/** A page may end at another consumer's print job, whose key tells when it was submitted. So a cursor is sealed. */
const sealCursor = ({ seal }: SealedBox, key: string) => seal(key).toString('base64url')

function unsealCursor({ unseal }: SealedBox, cursor: string): string {
  try {
    return unseal(Buffer.from(cursor, 'base64url'))
  } catch {
    const detail = 'cursor must be the nextCursor of another page'
    throw invalidFields([{ field: 'cursor', code: 'Pattern', detail }])
  }
}
