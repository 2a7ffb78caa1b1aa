import { serviceNames } from '@despatch/domain/access/caller'
import { z } from 'zod'
import { list } from '../list.ts'
import { ifKnown } from '../stored.ts'
import { integer } from '../text.ts'

const requestsPerSecondMax = 100_000
const requestsPerDayMax = 2_000_000_000
const bytesPerDayMin = 1024 ** 2
const bytesPerDayMax = 1024 ** 4

export const usageLimitSchema = z.object({
  service: z.enum(serviceNames),
  requestsPerSecond: integer({ min: 1, max: requestsPerSecondMax }),
  burst: integer({ min: 0, max: requestsPerSecondMax }).describe(
    'Requests above the rate that are allowed at once',
  ),
  requestsPerDay: integer({ min: 1, max: requestsPerDayMax })
    .exactOptional()
    .describe('Absent: no limit other than the rate'),
  bytesPerDay: integer({ min: bytesPerDayMin, max: bytesPerDayMax })
    .exactOptional()
    .describe(
      'Bytes of request bodies in a day (UTC). The request that reaches the limit is still accepted. Absent: no limit',
    ),
})

export const putUsagePlanSchema = z.object({
  limits: list(usageLimitSchema, { max: serviceNames.length, unique: ['service'] }).describe(
    'One limit for each service that the plan limits',
  ),
})

export const usagePlanSchema = z.object({
  name: z.string(),
  limits: z
    .array(
      usageLimitSchema.extend({
        service: z.string(),
        requestsPerDay: ifKnown(usageLimitSchema.shape.requestsPerDay),
        bytesPerDay: ifKnown(usageLimitSchema.shape.bytesPerDay),
      }),
    )
    .describe('By service'),
})
export type UsagePlanResponse = z.output<typeof usagePlanSchema>

export const usagePlansSchema = z.object({
  usagePlans: z.array(usagePlanSchema).describe('By name'),
})
export type UsagePlansResponse = z.output<typeof usagePlansSchema>
