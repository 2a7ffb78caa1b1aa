import { z } from 'zod'

const requests = z.number().int()

const dayUsageSchema = z.object({
  requestsPerDay: requests,
  endsAt: z.iso.datetime().describe('When the day ends and the count restarts: midnight UTC'),
  isKnown: z.boolean().describe('False if the store of the counts does not respond'),
  usedAbout: requests
    .optional()
    .describe(
      'Requests used, according to the store. Services report to it in blocks. Absent if unknown',
    ),
  leftAbout: requests
    .optional()
    .describe('Requests left, according to the store. Absent if unknown'),
  unreportedMax: requests.describe(
    'Each process of the service may have allowed up to this many more requests that it has not yet reported',
  ),
})

const todaySchema = z.object({
  requests: requests.describe('Requests let through since midnight UTC'),
  refused: requests.describe('Requests refused by a limit since then'),
  peakPerSecond: requests.describe('Most requests that one process let through in a second'),
})

const serviceUsageSchema = z.object({
  service: z.string(),
  isLetIn: z.boolean().describe('Whether the consumer may use the service'),
  isLimited: z.boolean().describe('False if the plan does not name the service'),
  requestsPerSecond: requests.optional(),
  burst: requests.optional().describe('Extra requests in each minute, above the rate per second'),
  today: todaySchema.describe('Counted with every plan. Services report every 10 seconds'),
  day: dayUsageSchema.optional().describe('Absent if the plan has no daily limit'),
})

export const consumerUsageSchema = z.object({
  consumerId: z.string(),
  usagePlan: z.string(),
  at: z.iso.datetime().describe('Time of the counts'),
  services: z
    .array(serviceUsageSchema)
    .describe('Services that the consumer may use or that its plan limits, by name'),
})
export type ConsumerUsageResponse = z.output<typeof consumerUsageSchema>

/** Limits and use of a service by a consumer. Null means no limit. */
export type StoredServiceUsage = {
  service: string
  isLetIn: boolean
  limit: { requestsPerSecond: number; burst: number } | null
  /** Undefined: no requests. */
  today: z.output<typeof todaySchema> | undefined
  day: {
    requestsPerDay: number
    used: number | undefined
    unreportedMax: number
    endsAt: Date
  } | null
}

const noRequests = { requests: 0, refused: 0, peakPerSecond: 0 }

export function renderServiceUsage({ service, isLetIn, limit, today, day }: StoredServiceUsage) {
  const { requests, refused, peakPerSecond } = today ?? noRequests
  return {
    service,
    isLetIn,
    isLimited: limit !== null,
    ...(limit && { requestsPerSecond: limit.requestsPerSecond, burst: limit.burst }),
    today: { requests, refused, peakPerSecond },
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
