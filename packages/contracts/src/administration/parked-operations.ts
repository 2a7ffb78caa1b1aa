import { redriveParked as redriveParkedAction } from '@despatch/domain/operator-action/print-job-actions'
import { z } from 'zod'
import { actionRoute, actionSchema } from './action-operation.ts'
import { everywhere, invalid, security } from './answers.ts'
import { administrationPath } from './paths.ts'
import { printJobReasonSchema } from './print-job.ts'

const parked = `${administrationPath}/parked-print-jobs`

const count = z.number().int()

export const parkedPrintJobsSchema = z.object({
  count: count.describe('Number of print jobs that an outage parked'),
  failures: z
    .array(
      z.object({
        failure: z.string().describe('Class of the last fault'),
        count,
        isOutage: z
          .boolean()
          .describe('True if the fault reports an outage. A redrive includes these print jobs'),
      }),
    )
    .describe('All parked print jobs, the most frequent class first'),
})
export type ParkedPrintJobsResponse = z.output<typeof parkedPrintJobsSchema>

export const redrivenSchema = z.object({
  redriven: count.describe('Number of print jobs that this request redrove'),
  left: count.describe(
    'Number of print jobs that an outage parked and that are still parked. Repeat the request for them',
  ),
})
export type RedrivenResponse = z.output<typeof redrivenSchema>

export const countParked = {
  method: 'GET',
  url: parked,
  schema: {
    operationId: 'countParked',
    tags: ['print jobs'],
    summary: 'Count parked print jobs by the class of their last fault',
    security,
    response: { 200: parkedPrintJobsSchema, ...everywhere },
  },
} as const

export const redriveParked = {
  ...actionRoute(redriveParkedAction),
  schema: {
    ...actionSchema(
      redriveParkedAction,
      'The response is returned after at most 20 seconds and contains the number still left. Repeat the request for ' +
        'those. Repeating and interrupting the request are safe. The print jobs become due gradually, about 100 per ' +
        'second. Each timeline and the audit contain the operator and the reason.',
    ),
    tags: ['print jobs'],
    summary: 'Redrive every print job that an outage parked',
    body: printJobReasonSchema,
    response: { 200: redrivenSchema, 400: invalid, ...everywhere },
  },
} as const
