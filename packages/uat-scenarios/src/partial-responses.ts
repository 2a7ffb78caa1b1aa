import type { SourceBehaviour } from './driver-scenario.ts'

/** The values of acceptPartialResponse in their textual form. */
export const partialAcceptances = [
  'false',
  'true',
  'onConditionCPCAvailable',
  'onConditionTachoAvailable',
] as const
export type PartialAcceptance = (typeof partialAcceptances)[number]

const statuses: Record<SourceBehaviour, number> = {
  answers: 200,
  fails: 502,
  unavailable: 503,
  'times-out': 504,
}

/**
 * Returns the status of an enquiry that requests CPC and tachograph data of a driver whose sources behave like this.
 * 200 if nothing is missing or missing data is accepted, otherwise the status of the most serious cause.
 */
export function partialResponseStatus(
  { cpc, tachograph }: { cpc: SourceBehaviour; tachograph: SourceBehaviour },
  accepts: PartialAcceptance,
): number {
  const isAccepted = {
    false: false,
    true: true,
    onConditionCPCAvailable: cpc === 'answers',
    onConditionTachoAvailable: tachograph === 'answers',
  }[accepts]
  return isAccepted ? 200 : Math.max(statuses[cpc], statuses[tachograph])
}
