import type { Judgement } from './judgement.ts'
import type { Pace } from './pace.ts'
import type { Platform } from './platform/platform.ts'
import type { PlatformRun } from './platform/platform-run.ts'
import type { Call, Fault } from './transcript.ts'

/** An answer, as it goes out. */
export type Answer = {
  status: number
  headers: Readonly<Record<string, string>>
  body: Uint8Array
}

/** What the platform does otherwise in a case. It is asked about each call while the case is played. */
export type Script = {
  /** Asked before the platform: gives an answer that goes out instead of the platform's. */
  before?(call: Call): { fault: Fault; answer: Answer } | undefined
  /** Asked once the platform has done its work, with the call as it is answered: what happens to the answer. */
  after?(call: Call): Fault | undefined
  /** True: the bytes of the document are altered this time. */
  alters?(documentId: string): boolean
}

/** Where a case is played. */
export type Stage = {
  run: PlatformRun
  platform: Platform
  pace: Pace
}

/** What a case is judged by. */
export type Evidence = {
  run: PlatformRun
  /** Of the whole time of the case, in the order in which they came. */
  calls: readonly Call[]
  pace: Pace
}

export type ConformanceCase = {
  /** C01 to C15. */
  id: string
  title: string
  /** What the client has to do to pass, for its developer. */
  expectation: string
  documentCount: number
  script(stage: Stage): Script
  /** Looks at what there is so far. It is asked again after each call. */
  judge(evidence: Evidence): Judgement
}
