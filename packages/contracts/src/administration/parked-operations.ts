import { z } from 'zod'
import { everywhere, invalid, security } from './answers.ts'
import { administrationPath } from './paths.ts'
import { printJobReasonSchema } from './print-job.ts'

const parked = `${administrationPath}/parked-print-jobs`

const count = z.number().int()

export const parkedPrintJobsSchema = z.object({
  count: count.describe('Print jobs that an outage parked'),
  failures: z
    .array(
      z.object({
        failure: z.string().describe('Class of the last fault'),
        count,
        isOutage: z.boolean().describe('The fault reports an outage: a redrive takes these'),
      }),
    )
    .describe('All parked print jobs, the most frequent class first'),
})
export type ParkedPrintJobsResponse = z.output<typeof parkedPrintJobsSchema>

export const redrivenSchema = z.object({
  redriven: count.describe('Print jobs that this request redrove'),
  left: count.describe(
    'Print jobs that an outage parked and that are still parked: repeat for those',
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
  method: 'POST',
  url: `${parked}/redrive`,
  schema: {
    operationId: 'redriveParked',
    tags: ['print jobs'],
    summary: 'Redrive every print job that an outage parked',
    description:
      'Without a limit of their number. The answer comes after 20 seconds at the latest and says how many are left: repeat ' +
      'the request for those. Repeating and interrupting it are safe. Print jobs become due spread over time, about 100 ' +
      'per second. Each timeline and the record of changes name who redrove it and why.',
    security,
    body: printJobReasonSchema,
    response: { 200: redrivenSchema, 400: invalid, ...everywhere },
  },
} as const
