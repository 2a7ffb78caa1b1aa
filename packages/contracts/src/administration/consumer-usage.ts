import { z } from 'zod'
import { ifKnown, storedTime } from '../stored.ts'

const count = z.number().int()

/** The use of an allowance of `unit` in a day. */
const dayUsageOf = (unit: 'requests' | 'bytes') => ({
  endsAt: storedTime.describe('When the day ends and the count restarts: midnight UTC'),
  isKnown: z.boolean().describe('False if the store of the counts does not respond'),
  usedAbout: ifKnown(count).describe(
    `The number of ${unit} used, according to the store. Services report to it in blocks. Absent if unknown`,
  ),
  leftAbout: ifKnown(count).describe(
    `The number of ${unit} left, according to the store. Absent if unknown`,
  ),
  unreportedMax: count.describe(
    `Each process of the service may have allowed about this many more ${unit} that it has not yet reported`,
  ),
})

const todaySchema = z.object({
  requests: count.describe('Requests let through since midnight UTC'),
  refused: count.describe('Requests refused by a limit since then'),
  peakPerSecond: count.describe('Most requests that one process let through in a second'),
})

export const serviceUsageSchema = z.object({
  service: z.string(),
  isLetIn: z.boolean().describe('Whether the consumer may use the service'),
  isLimited: z.boolean().describe('False if the plan does not name the service'),
  requestsPerSecond: ifKnown(count),
  burst: ifKnown(count).describe('Extra requests in each minute, above the rate per second'),
  today: todaySchema.describe('Counted with every plan. Services report every 10 seconds'),
  day: z
    .object({ requestsPerDay: count, ...dayUsageOf('requests') })
    .optional()
    .describe('Absent if the plan has no daily limit of requests'),
  dayBytes: z
    .object({ bytesPerDay: count, ...dayUsageOf('bytes') })
    .optional()
    .describe(
      'Bytes of request bodies. Absent if the plan has no daily limit of bytes. They are then not counted',
    ),
})

export const consumerUsageSchema = z.object({
  consumerId: z.string(),
  usagePlan: z.string(),
  at: storedTime.describe('Time of the counts'),
  services: z
    .array(serviceUsageSchema)
    .describe('Services that the consumer may use or that its plan limits, by name'),
})
export type ConsumerUsageResponse = z.output<typeof consumerUsageSchema>

type StoredDayUsage = {
  perDay: number
  used: number | undefined
  unreportedMax: number
  endsAt: Date
} | null

/** Limits and use of a service by a consumer. Null means no limit. */
export type StoredServiceUsage = {
  service: string
  isLetIn: boolean
  limit: { requestsPerSecond: number; burst: number } | null
  /** Undefined: no requests. */
  today: z.output<typeof todaySchema> | undefined
  day: StoredDayUsage
  dayBytes: StoredDayUsage
}

const noRequests = { requests: 0, refused: 0, peakPerSecond: 0 }

export function renderServiceUsage({
  service,
  isLetIn,
  limit,
  today,
  day,
  dayBytes,
}: StoredServiceUsage) {
  const { requests, refused, peakPerSecond } = today ?? noRequests
  return {
    service,
    isLetIn,
    isLimited: limit !== null,
    requestsPerSecond: limit?.requestsPerSecond ?? null,
    burst: limit?.burst ?? null,
    today: { requests, refused, peakPerSecond },
    ...(day && { day: { requestsPerDay: day.perDay, ...renderDay(day) } }),
    ...(dayBytes && { dayBytes: { bytesPerDay: dayBytes.perDay, ...renderDay(dayBytes) } }),
  }
}

function renderDay({ perDay, used, unreportedMax, endsAt }: NonNullable<StoredDayUsage>) {
  return {
    endsAt,
    isKnown: used !== undefined,
    usedAbout: used ?? null,
    leftAbout: used === undefined ? null : Math.max(perDay - used, 0),
    unreportedMax,
  }
}
