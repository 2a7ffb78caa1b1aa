import type { FieldFault } from '@despatch/domain/problem'
import { z } from 'zod'
import { drivingLicenceNumberSchema } from '../driver-records/driving-licence-number.ts'

const conditions = ['onConditionCPCAvailable', 'onConditionTachoAvailable'] as const
const words = ['true', 'false', ...conditions] as const

/** When the caller accepts a response without all the requested data. */
export type PartialAcceptance = (typeof words)[number]

const acceptPartialResponse = z
  .union([z.boolean(), z.enum(words)])
  .default(false)
  .meta({
    description:
      'Whether to accept a response that lacks CPC or tachograph data because of a technical problem. false: no. true: ' +
      'yes. onConditionCPCAvailable, onConditionTachoAvailable: only if the response contains CPC data, or tachograph ' +
      'data. The response does not contain data that was not requested. A response that is not accepted becomes 502, ' +
      '503 or 504.',
  })

/** The body of an enquiry. Unknown members are removed. */
export const retrieveRequestSchema = z.object({
  drivingLicenceNumber: drivingLicenceNumberSchema,
  includeCPC: z.boolean().default(false).describe('true: the response includes CPC data'),
  includeTacho: z.boolean().default(false).describe('true: the response includes tachograph data'),
  acceptPartialResponse,
})

export type RetrieveRequest = z.output<typeof retrieveRequestSchema>

/** Spec: acceptPartialResponse is a boolean or a string; `true` and `'true'` mean the same. */
export function partialAcceptanceOf({ acceptPartialResponse: given }: RetrieveRequest) {
  return String(given) as PartialAcceptance
}

/** Returns the names of the options of an enquiry that differ from their defaults, for its audit. */
export function optionsOf(request: RetrieveRequest): string[] {
  const accepts = partialAcceptanceOf(request)
  return [
    ...(request.includeCPC ? ['includeCPC'] : []),
    ...(request.includeTacho ? ['includeTacho'] : []),
    ...(accepts === 'false' ? [] : [`acceptPartialResponse=${accepts}`]),
  ]
}

type Issue = z.core.$ZodIssue

/** Returns one violation for each wrong field. Never repeats a value. */
export function retrieveFaults(issues: readonly Issue[], input: unknown): FieldFault[] {
  const faults = issues.map(({ path }) => faultOf(path.map(String).join('.'), input))
  return [...new Map(faults.map((fault) => [fault.field, fault])).values()]
}

function faultOf(field: string, input: unknown): FieldFault {
  if (field === '') {
    return { field: 'body', code: 'Unreadable', detail: 'Failed to parse request body' }
  }
  if (field === 'drivingLicenceNumber' && isMissing(input)) {
    return { field, code: 'NotEmpty', detail: `Missing required field - ${field}` }
  }
  const allowed = field === 'acceptPartialResponse' ? ` (one of ${words.join(', ')})` : ''
  return { field, code: 'InvalidFormat', detail: `Invalid format for field - ${field}${allowed}` }
}

function isMissing(input: unknown): boolean {
  const { drivingLicenceNumber: given } = input as { drivingLicenceNumber?: unknown }
  return given == null || (typeof given === 'string' && given.trim() === '')
}
