import { z } from 'zod'

const requests = z.number().int()

const dayUsageSchema = z.object({
  requestsPerDay: requests,
  endsAt: z.iso.datetime().describe('When the day ends and counting begins anew: midnight UTC'),
  isKnown: z.boolean().describe('False: the store of the counts does not answer'),
  usedAbout: requests
    .optional()
    .describe('As the store knows it, which the services tell in blocks. Absent when unknown'),
  leftAbout: requests.optional().describe('Absent when unknown'),
  unreportedMax: requests.describe(
    'So many more at most each process of the service may have let through that it has not told yet',
  ),
})

const serviceUsageSchema = z.object({
  service: z.string(),
  isLetIn: z.boolean().describe('Whether the consumer may use the service'),
  isLimited: z.boolean().describe('False: the plan does not name the service'),
  requestsPerSecond: requests.optional(),
  burst: requests.optional().describe('In each minute, beyond the rate of a second'),
  day: dayUsageSchema
    .optional()
    .describe('Absent: no limit of a day, and no count of the requests of a day'),
})

export const consumerUsageSchema = z.object({
  consumerId: z.string(),
  usagePlan: z.string(),
  at: z.iso.datetime().describe('The moment of the counts'),
  services: z
    .array(serviceUsageSchema)
    .describe('What the consumer may use and what its plan limits, by name'),
})
export type ConsumerUsageResponse = z.output<typeof consumerUsageSchema>

/** Limits and use of a service by a consumer. Null means no limit. */
export type StoredServiceUsage = {
  service: string
  isLetIn: boolean
  limit: { requestsPerSecond: number; burst: number } | null
  day: {
    requestsPerDay: number
    used: number | undefined
    unreportedMax: number
    endsAt: Date
  } | null
}

export function renderServiceUsage({ service, isLetIn, limit, day }: StoredServiceUsage) {
  return {
    service,
    isLetIn,
    isLimited: limit !== null,
    ...(limit && { requestsPerSecond: limit.requestsPerSecond, burst: limit.burst }),
    ...(day && { day: renderDay(day) }),
  }
}

function renderDay({
  requestsPerDay,
  used,
  unreportedMax,
  endsAt,
}: NonNullable<StoredServiceUsage['day']>) {
  return {
    requestsPerDay,
    endsAt: endsAt.toISOString(),
    isKnown: used !== undefined,
    ...(used !== undefined && {
      usedAbout: used,
      leftAbout: Math.max(requestsPerDay - used, 0),
    }),
    unreportedMax,
  }
}
