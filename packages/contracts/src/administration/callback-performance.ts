import { halfHoursOfDay } from '@despatch/domain/calendar/half-hours'
import { z } from 'zod'
import { nextCursor, pageQuery } from '../page.ts'
import { ifKnown, storedTime } from '../stored.ts'
import { callbackOriginSchema } from './callback.ts'

/** How many callbacks of a consumer are read, the newest first. */
export const callbacksReadMax = 300
/** A page has few consumers, because up to `callbacksReadMax` callbacks and their attempts are read for each. */
const [consumersDefault, consumersMax] = [10, 20]
const minutesDefault = 1_440
const minutesMax = 10_080

export const callbackPerformanceQuerySchema = z.object({
  ...pageQuery,
  limit: z
    .string()
    .regex(/^([1-9]|1\d|20)$/, `must be a whole number from 1 to ${consumersMax}`)
    .transform(Number)
    .default(consumersDefault)
    .describe('Maximum number of consumers in a page'),
  consumerId: z
    .uuid()
    .exactOptional()
    .describe('Absent: all consumers with callbacks in the period'),
  minutes: z
    .string()
    .regex(/^[1-9]\d{0,4}$/, `must be a whole number from 1 to ${minutesMax}`)
    .transform(Number)
    .refine((minutes) => minutes <= minutesMax, `must be at most ${minutesMax}`)
    .default(minutesDefault)
    .describe('Length of the period until now'),
})

const count = z.number().int()
const milliseconds = ifKnown(z.number().int()).describe(
  'Milliseconds to the answer or the time limit. Absent: no attempt had either',
)

const attemptsByHalfHour = (what: string) =>
  z.array(count).length(halfHoursOfDay).describe(`${what}, by half hour, oldest first`)

export const halfHoursSchema = z.object({
  from: storedTime.describe('Start of the first half hour. The last half hour is not over'),
  delivered: attemptsByHalfHour('Attempts that were answered with 2xx'),
  failed: attemptsByHalfHour('Other attempts'),
})
export type HalfHours = z.input<typeof halfHoursSchema>

export const originPerformanceSchema = z.object({
  ...callbackOriginSchema.pick({ origin: true, breaker: true }).shape,
  attempts: count.describe('Attempts that began in the period'),
  successes: count.describe('Attempts that were answered with 2xx'),
  p50Ms: milliseconds,
  p95Ms: milliseconds,
  open: count.describe('Callbacks that wait for an attempt or for their turn'),
  delivered: count.describe('Delivered callbacks'),
  dead: count.describe('Dead callbacks'),
  halfHours: halfHoursSchema.describe(
    'All attempts of the consumer at the origin in the last 24 hours, whatever the period',
  ),
})

export const consumerPerformanceSchema = z.object({
  consumerId: z.string(),
  userName: z.string(),
  name: z.string(),
  from: storedTime.describe(
    'Start of the period. Later than that of the response if not all callbacks were read',
  ),
  isPart: z
    .boolean()
    .describe(`Whether only the newest ${callbacksReadMax} callbacks of the consumer were read`),
  origins: z.array(originPerformanceSchema).describe('Origins of the callbacks read, by name'),
})

export const callbackPerformanceSchema = z.object({
  from: storedTime.describe('Start of the period'),
  consumers: z
    .array(consumerPerformanceSchema)
    .describe('Consumers with callbacks that were created in the period, by user name'),
  nextCursor,
})
export type CallbackPerformanceResponse = z.output<typeof callbackPerformanceSchema>

export type ConsumerPerformance = Omit<z.input<typeof consumerPerformanceSchema>, 'origins'> & {
  origins: Omit<z.input<typeof originPerformanceSchema>, 'halfHours'>[]
}
