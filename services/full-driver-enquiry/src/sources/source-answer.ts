import type { CpcAnswer, TachographAnswer } from '@despatch/contracts/driver-sources/answers'
import type { PartFailure, PartState } from './partial-response.ts'

/** `reason` is a class of fault for the log. It never contains a message, an address or a driver's data. */
export type SourceAnswer<Data> =
  | { kind: 'answered'; data: Data }
  | { kind: PartFailure; reason: string }

/** Asks a source about one driver. Never throws: the answer describes the error. */
export type AskSource<Data> = (
  drivingLicenceNumber: string,
  correlationId: string,
) => Promise<SourceAnswer<Data>>

export type DriverSources = { cpc: AskSource<CpcAnswer>; tachograph: AskSource<TachographAnswer> }

export function stateOf(answer: SourceAnswer<unknown> | undefined): PartState {
  return answer?.kind ?? 'not-asked'
}

export function dataOf<Data>(answer: SourceAnswer<Data> | undefined): Data | undefined {
  return answer?.kind === 'answered' ? answer.data : undefined
}
