import { printJobStatuses } from '@despatch/domain/print-job/status'
import { z } from 'zod'

export const scenarioApis = [
  'vehicle-enquiry',
  'full-driver-enquiry',
  'driver-find',
  'print-request',
] as const

/** A request to the test environment with a predefined outcome. */
export const scenarioSchema = z.object({
  api: z.enum(scenarioApis),
  title: z.string(),
  predefined: z
    .string()
    .optional()
    .describe('Value that causes the outcome: a number, a last name or a recipient'),
  request: z.object({
    method: z.literal('POST'),
    path: z.string(),
    headers: z
      .record(z.string(), z.string())
      .optional()
      .describe('Headers in addition to the credentials'),
    body: z.record(z.string(), z.unknown()),
  }),
  expects: z.object({
    status: z.number().describe('HTTP status number'),
    results: z
      .array(z.string())
      .optional()
      .describe('driver-find: driving licence numbers in the order of the results'),
    totalCount: z.number().optional().describe('driver-find: the header x-total-count'),
    printJobStatus: z
      .enum(printJobStatuses)
      .optional()
      .describe('print-request: status that the print job ends or stays in'),
    comment: z
      .string()
      .optional()
      .describe('print-request: the comment, for a file `scan` and a contract of 100 pages'),
  }),
})
export type Scenario = z.output<typeof scenarioSchema>
