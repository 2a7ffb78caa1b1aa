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
 * The status of an enquiry that asks for CPC and tachograph data of a driver whose sources behave so: 200 when nothing is
 * missing or what is missing is accepted, else by the gravest cause.
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
