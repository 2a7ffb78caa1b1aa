import { describeRuleOff } from '@despatch/domain/access/independence'
import {
  type BulkActionFacts,
  type BulkActionKind,
  type BulkItemFacts,
  type BulkItemOutcome,
  bulkActionKinds,
  bulkActionState,
  bulkActionStates,
  bulkItemFilters,
  bulkItemOutcomes,
  bulkMatchesMax,
  bulkPrintJobsMax,
  expiresAt,
  whyNotNow,
} from '@despatch/domain/bulk-action/bulk-action'
import { printJobStatuses } from '@despatch/domain/print-job/status'
import { z } from 'zod'
import { notEmpty } from '../field-faults.ts'
import { cursorAfter, nextCursor, pageQuery } from '../page.ts'
import { ifKnown, storedTime } from '../stored.ts'
import { customIssue, integer, text } from '../text.ts'
import { countPrintJobsSchema, printJobFilterFields } from './print-job.ts'
import { reason } from './print-run.ts'

export const ofBulkAction = z.object({ bulkActionId: z.uuid().toLowerCase() })

const positionCursor = text({ max: 18, pattern: /^\d{1,18}$/ })
  .exactOptional()
  .describe('nextCursor of the previous page')

export const planBulkActionSchema = z
  .object({
    bulkActionId: z
      .uuid()
      .toLowerCase()
      .exactOptional()
      .describe('Makes repeating the request safe: it returns the same plan'),
    action: z.enum(bulkActionKinds),
    matching: countPrintJobsSchema
      .check(({ value, issues }) => {
        if (Object.keys(value).length === 0) issues.push(customIssue(notEmpty, value))
      })
      .exactOptional()
      .describe(
        `The print jobs that match these filters now and have not ended, at most ${bulkMatchesMax}. Ones that match later ` +
          'are not included. At least one filter. Instead of printJobKeys',
      ),
    printJobKeys: z
      .array(z.uuid().toLowerCase())
      .min(1)
      .max(bulkPrintJobsMax)
      .check(({ value, issues }) => {
        const twice = value.find((key, place) => value.indexOf(key) < place)
        if (twice === undefined) return
        issues.push(customIssue({ code: 'Unique', message: `must not have ${twice} twice` }, value))
      })
      .exactOptional()
      .describe('Keys without duplicates, in the order of processing'),
    reason,
  })
  .check(({ value, issues }) => {
    if ((value.matching === undefined) !== (value.printJobKeys === undefined)) return
    const message = 'must be given if matching is not, and only then'
    issues.push({ ...customIssue({ code: 'Invalid', message }, value), path: ['printJobKeys'] })
  })

export const confirmBulkActionSchema = z.object({
  digest: text({ pattern: /^[0-9a-f]{64}$/ }).describe('Value from the plan'),
  printJobCount: integer({ min: 1, max: bulkMatchesMax }).describe('Value from the plan'),
})

export const bulkActionQuerySchema = z.strictObject({
  outcome: z
    .enum(bulkItemFilters)
    .exactOptional()
    .describe('Only items with this outcome. left: items without an outcome yet'),
  cursor: positionCursor,
  limit: z
    .string()
    .regex(/^([1-9]\d{0,2}|1000)$/, `must be a whole number from 1 to ${bulkPrintJobsMax}`)
    .transform(Number)
    .default(bulkPrintJobsMax)
    .describe('Maximum number of items in a page'),
})
export type BulkItemsQuery = z.output<typeof bulkActionQuerySchema>

const count = z.number().int()
const userName = z.string().describe('User name')

const { find: _find, ...filtersWithoutText } = printJobFilterFields

export const bulkActionSchema = z.object({
  bulkActionId: z.string(),
  action: z.enum(bulkActionKinds),
  reason: z.string(),
  matching: ifKnown(
    z.object({
      ...filtersWithoutText,
      hasText: z
        .literal(true)
        .exactOptional()
        .describe('Present if a text was searched for. The text itself is not stored'),
    }),
  ).describe('Filters that its print jobs matched when it was planned. Absent: they were named'),
  state: z
    .enum(bulkActionStates)
    .describe(
      'PLANNED: nothing happens until the plan is confirmed. EXPIRED: the plan was not confirmed in time',
    ),
  digest: z
    .string()
    .describe('SHA-256 of the action and the keys. The confirmation must contain it'),
  printJobCount: count,
  needsSecondPerson: z
    .boolean()
    .describe('True if an operator other than the planner, and independent of it, must confirm'),
  plannedBy: userName,
  plannedAt: storedTime,
  expiresAt: ifKnown(storedTime).describe(
    'End of the time to confirm. Present while the state is PLANNED',
  ),
  confirmedBy: ifKnown(userName),
  confirmedAt: ifKnown(storedTime),
  stoppedBy: ifKnown(userName),
  stoppedAt: ifKnown(storedTime),
  endedAt: ifKnown(storedTime),
  progress: z.object({
    done: count,
    refused: count.describe('Print jobs on which the action was not possible at their turn'),
    absent: count.describe('Keys without a print job'),
    notBegun: count.describe('Print jobs that were not started before the stop'),
    left: count.describe('Print jobs that have not started or are being retried'),
    failing: count.describe('Print jobs in left that are retried after a fault of ours'),
  }),
})
export type BulkActionResponse = z.output<typeof bulkActionSchema>

export const bulkItemSchema = z.object({
  printJobKey: z.string(),
  printJobId: ifKnown(z.string()).describe('Absent if the key has no print job'),
  userName: ifKnown(z.string()).describe('User name of the consumer'),
  status: ifKnown(z.enum(printJobStatuses)).describe('Current status'),
  isPossible: z
    .boolean()
    .optional()
    .describe('Whether the action is possible now. Absent after the confirmation'),
  outcome: ifKnown(z.enum(bulkItemOutcomes)),
  whyNot: ifKnown(z.string()),
  at: ifKnown(storedTime),
  failures: ifKnown(count).describe('Number of faults of ours. The action is retried'),
  failure: ifKnown(z.string()).describe('Class of the last fault'),
  retryAt: ifKnown(storedTime),
})

export const bulkActionDetailsSchema = bulkActionSchema.extend({
  possibleCount: count
    .optional()
    .describe(
      'Number of print jobs on which the action is possible now. Absent after the confirmation',
    ),
  secondPersonOff: z
    .string()
    .optional()
    .describe(
      'Present if the plan is so large that a second person would have to confirm, but none must yet: why',
    ),
  items: z.array(bulkItemSchema).describe('A page of its print jobs, in the order of the plan'),
  nextCursor,
})
export type BulkActionDetailsResponse = z.output<typeof bulkActionDetailsSchema>

export const bulkActionsQuerySchema = z.object({
  ...pageQuery,
  cursor: positionCursor,
})
export const bulkActionsSchema = z.object({
  bulkActions: z.array(bulkActionSchema).describe('Newest first'),
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
    matching: NonNullable<BulkActionResponse['matching']> | null
    plannedByUserName: string
    confirmedByUserName: string | null
    confirmedAt: Date | null
    stoppedByUserName: string | null
    stoppedAt: Date | null
    endedAt: Date | null
  }

export type KeptBulkItem = {
  position: number
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

export function renderBulkAction(kept: KeptBulkAction, now: Date) {
  const { done, refused, absent, notBegun, left, failing } = kept
  const state = bulkActionState(kept, now)
  return {
    ...kept,
    bulkActionId: kept.id,
    state,
    plannedBy: kept.plannedByUserName,
    expiresAt: state === 'PLANNED' ? expiresAt(kept) : null,
    confirmedBy: kept.confirmedByUserName,
    stoppedBy: kept.stoppedByUserName,
    progress: { done, refused, absent, notBegun, left, failing },
  }
}

/** A page of the print jobs of a bulk action. */
export type KeptBulkItems = {
  items: readonly KeptBulkItem[]
  itemsMax: number
  /** On how many of all its print jobs the action is possible. */
  possibleCount: number
  /** The plan would require a second person, but that rule was not on yet when it was made. */
  isSecondPersonOff: boolean
}

/** Renders the bulk action with a page of its print jobs: what is possible now while it is a plan, then the outcomes. */
export function renderBulkActionDetails(
  kept: KeptBulkAction,
  { items, itemsMax, possibleCount, isSecondPersonOff }: KeptBulkItems,
  now: Date,
) {
  const rendered = renderBulkAction(kept, now)
  const next = cursorAfter(items, itemsMax, ({ position }) => String(position))
  if (rendered.state !== 'PLANNED') return { ...rendered, items: items.map(renderItem), ...next }
  const judged = items.map((item) => {
    const whyNot = item.printJob
      ? whyNotNow(kept.action, item.printJob)
      : 'There is no print job of that key.'
    return { ...renderItem({ ...item, whyNot }), isPossible: whyNot === null }
  })
  const off = isSecondPersonOff ? { secondPersonOff: describeRuleOff({}) } : {}
  return { ...rendered, possibleCount, ...off, items: judged, ...next }
}

function renderItem({ printJob, failures, ...item }: KeptBulkItem) {
  const { userName = null, status = null } = printJob ?? {}
  return { ...item, userName, status, failures: failures > 0 ? failures : null }
}
