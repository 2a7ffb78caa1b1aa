import { z } from 'zod'
import { crashPoints } from './crash-points.ts'

const itemEventsPerCallMax = 2_500
/** A fraction of the documents, attempts, events or calls. */
const rate = z.number().min(0).max(1).default(0)

/** How the factory works. By default it makes no errors. */
export const floorSchema = z.strictObject({
  /** How often it polls for released print runs. */
  pollIntervalMs: z.int().min(10).default(2_000),
  /** How long a print run takes from its acknowledgement to its posting. */
  printTimeMs: z.int().min(0).default(2_000),
  /** The print locations whose runs are claimed. Without it, all of the provider. */
  printLocations: z.array(z.string().min(1).max(100)).exactOptional(),
  /** With the number and attempt of a document, it decides which errors occur. */
  seed: z.string().max(100).default('despatch'),
  /** Documents that the acknowledgement refuses. */
  refusalRate: rate,
  /** Attempts that are spoiled after printing, at most three for each letter. */
  spoilRate: rate,
  /** Attempts in which a document proves unprintable. */
  failRate: rate,
  /** Attempts that are taken off the line, inspected and put back. */
  divertRate: rate,
  /** Posted letters that are returned. */
  returnRate: rate,
  /** Calls whose response is discarded, so that they are retried. */
  lostReplyRate: rate.refine((value) => value <= 0.9, 'must be at most 0.9'),
  /** Item events that are reported twice. */
  eventDuplicateRate: rate,
  /** Whether item events are reported out of order. */
  eventShuffle: z.boolean().default(false),
  eventsPerCall: z.int().min(1).max(itemEventsPerCallMax).default(itemEventsPerCallMax),
  /** Without it, documents are printed without a limit. */
  documentsPerSecond: z.int().min(1).exactOptional(),
  /** The lease to request with a claim. Without it, the default of the platform. */
  leaseSeconds: z.int().min(60).max(86_400).exactOptional(),
  /** How far the clock of the factory is ahead. */
  clockSkewSeconds: z.int().default(0),
  /** The prefix of the serial numbers of numbered stock, followed by eight digits. Without it, the paper is plain. */
  serialNumberPrefix: z
    .string()
    .regex(/^[A-Za-z0-9-]{1,20}$/)
    .exactOptional(),
  /** Where the factory exits with code 70, once in every print run. */
  crashAt: z.array(z.enum(crashPoints)).default([]),
})
export type FloorSettings = z.output<typeof floorSchema>

/** The schema of the settings as JSON. */
export const floorOfJson = z.string().transform((text, context): FloorSettings => {
  const fault = (message: string) => {
    context.addIssue({ code: 'custom', message })
    return z.NEVER
  }
  try {
    const { data, error } = floorSchema.safeParse(JSON.parse(text))
    const { path = [], message } = error?.issues[0] ?? {}
    return data ?? fault(`has a wrong member: ${path.join('.')}: ${message}`)
  } catch {
    return fault('must be a JSON object, such as {"spoilRate":0.05}')
  }
})
