import {
  type BulkActionFacts,
  type BulkActionKind,
  type BulkItemFacts,
  type BulkItemOutcome,
  bulkActionKinds,
  bulkActionState,
  bulkActionStates,
  bulkItemOutcomes,
  bulkPrintJobsMax,
  expiresAt,
  whyNotNow,
} from '@despatch/domain/bulk-action/bulk-action'
import { printJobStatuses } from '@despatch/domain/print-job/status'
import { z } from 'zod'
import { nextCursor, pageQuery } from '../page.ts'
import { customIssue, integer, text } from '../text.ts'
import { reason, withoutNulls } from './print-run.ts'

export const ofBulkAction = z.object({ bulkActionId: z.uuid().toLowerCase() })

export const planBulkActionSchema = z.object({
  bulkActionId: z
    .uuid()
    .toLowerCase()
    .exactOptional()
    .describe('Makes repeating the request safe: the same plan is given again'),
  action: z.enum(bulkActionKinds),
  printJobKeys: z
    .array(z.uuid().toLowerCase())
    .min(1)
    .max(bulkPrintJobsMax)
    .check(({ value, issues }) => {
      const twice = value.find((key, place) => value.indexOf(key) < place)
      if (twice === undefined) return
      issues.push(customIssue({ code: 'Unique', message: `must not have ${twice} twice` }, value))
    })
    .describe('Each once, in the order in which it is to be done'),
  reason,
})

export const confirmBulkActionSchema = z.object({
  digest: text({ pattern: /^[0-9a-f]{64}$/ }).describe('As the plan told it'),
  printJobCount: integer({ min: 1, max: bulkPrintJobsMax }).describe('As the plan told it'),
})

const instant = z.iso.datetime()
const count = z.number().int()
const userName = z.string().describe('User name')

const bulkActionSchema = z.object({
  bulkActionId: z.string(),
  action: z.enum(bulkActionKinds),
  reason: z.string(),
  state: z
    .enum(bulkActionStates)
    .describe('PLANNED: nothing is done until it is confirmed. EXPIRED: nobody confirmed it'),
  digest: z.string().describe('SHA-256 of the action and the keys; who confirms names it'),
  printJobCount: count,
  needsSecondPerson: z.boolean().describe('Another operator than the planner has to confirm'),
  plannedBy: userName,
  plannedAt: instant,
  expiresAt: instant.optional().describe('Until when it can be confirmed, while it is PLANNED'),
  confirmedBy: userName.optional(),
  confirmedAt: instant.optional(),
  stoppedBy: userName.optional(),
  stoppedAt: instant.optional(),
  endedAt: instant.optional(),
  progress: z.object({
    done: count,
    refused: count.describe('Was not possible when it was their turn'),
    absent: count.describe('There is no print job of that key'),
    notBegun: count.describe('It was stopped before'),
    left: count.describe('Not begun yet, or tried again'),
    failing: count.describe('Of those left: tried again after a failure of ours'),
  }),
})
export type BulkActionResponse = z.output<typeof bulkActionSchema>

const bulkItemSchema = z.object({
  printJobKey: z.string(),
  printJobId: z.string().optional().describe('Absent when there is no print job of that key'),
  userName: z.string().optional().describe('Of the consumer'),
  status: z.enum(printJobStatuses).optional().describe('Now'),
  isPossible: z.boolean().optional().describe('Now; told until it is confirmed'),
  outcome: z.enum(bulkItemOutcomes).optional(),
  whyNot: z.string().optional(),
  at: instant.optional(),
  failures: count.optional().describe('Failures of ours; it is tried again'),
  failure: z.string().optional().describe('Class of the last one'),
  retryAt: instant.optional(),
})

export const shownBulkActionSchema = bulkActionSchema.extend({
  possibleCount: count.optional().describe('Of how many it is possible now; until it is confirmed'),
  items: z.array(bulkItemSchema).describe('In the order of the plan'),
})
export type ShownBulkActionResponse = z.output<typeof shownBulkActionSchema>

export const bulkActionsQuerySchema = z.object({
  ...pageQuery,
  cursor: text({ max: 18, pattern: /^\d{1,18}$/ })
    .exactOptional()
    .describe('The nextCursor of the page before'),
})
export const bulkActionsSchema = z.object({
  bulkActions: z.array(bulkActionSchema).describe('The newest first'),
  nextCursor,
})
export type BulkActionsResponse = z.output<typeof bulkActionsSchema>

type Progress = BulkActionResponse['progress']

/** A bulk action as stored. A field is null if the event has not happened. */
export type KeptBulkAction = Progress &
  BulkActionFacts & {
    id: string
    action: BulkActionKind
    reason: string
    plannedByUserName: string
    confirmedByUserName: string | null
    confirmedAt: Date | null
    stoppedByUserName: string | null
    stoppedAt: Date | null
    endedAt: Date | null
  }

export type KeptBulkItem = {
  printJobKey: string
  printJobId: string | null
  outcome: BulkItemOutcome | null
  whyNot: string | null
  at: Date | null
  failures: number
  failure: string | null
  retryAt: Date | null
  printJob: (BulkItemFacts & { userName: string }) | null
}

export function renderBulkAction(kept: KeptBulkAction, now: Date): BulkActionResponse {
  const { done, refused, absent, notBegun, left, failing } = kept
  const state = bulkActionState(kept, now)
  return bulkActionSchema.parse(
    withoutNulls({
      ...kept,
      bulkActionId: kept.id,
      state,
      plannedBy: kept.plannedByUserName,
      expiresAt: state === 'PLANNED' ? expiresAt(kept) : null,
      confirmedBy: kept.confirmedByUserName,
      stoppedBy: kept.stoppedByUserName,
      progress: { done, refused, absent, notBegun, left, failing },
    }),
  )
}

/**
 * Renders the bulk action with each of its print jobs: what is possible now while it is a plan, the result afterwards.
 */
export function renderShownBulkAction(
  kept: KeptBulkAction,
  items: readonly KeptBulkItem[],
  now: Date,
): ShownBulkActionResponse {
  const told = renderBulkAction(kept, now)
  if (told.state !== 'PLANNED') return { ...told, items: items.map(renderItem) }
  const judged = items.map((item) => {
    const whyNot = item.printJob
      ? whyNotNow(kept.action, item.printJob)
      : 'There is no print job of that key.'
    return { ...renderItem({ ...item, whyNot }), isPossible: whyNot === null }
  })
  const possibleCount = judged.filter(({ isPossible }) => isPossible).length
  return { ...told, possibleCount, items: judged }
}

function renderItem({ printJob, failures, ...item }: KeptBulkItem) {
  const { userName = null, status = null } = printJob ?? {}
  return bulkItemSchema.parse(
    withoutNulls({ ...item, userName, status, failures: failures > 0 ? failures : null }),
  )
}
