import type { Judgement } from './judgement.ts'
import type { Pace } from './pace.ts'
import type { Platform } from './platform/platform.ts'
import type { PlatformRun } from './platform/platform-run.ts'
import type { Call, Fault } from './transcript.ts'

/** A response as it is sent. */
export type Answer = {
  status: number
  headers: Readonly<Record<string, string>>
  body: Uint8Array
}

/** How the platform deviates in a case. It is called for each call while the case is played. */
export type Script = {
  /** Called before the platform. A returned answer replaces the platform's. */
  before?(call: Call): { fault: Fault; answer: Answer } | undefined
  /** Called after the platform has done its work, with the answered call. Returns what happens to the answer. */
  after?(call: Call): Fault | undefined
  /** Returns true if the bytes of the document are altered this time. */
  alters?(documentId: string): boolean
}

/** The environment in which a case is played. */
export type Stage = {
  run: PlatformRun
  platform: Platform
  pace: Pace
}

/** The data that a case is judged by. */
export type Evidence = {
  run: PlatformRun
  /** All calls of the case, in the order in which they came. */
  calls: readonly Call[]
  pace: Pace
}

export type ConformanceCase = {
  /** C01 to C15. */
  id: string
  title: string
  /** What the client must do to pass, for its developer. */
  expectation: string
  documentCount: number
  script(stage: Stage): Script
  /** Judges the evidence so far. It is called again after each call. */
  judge(evidence: Evidence): Judgement
}
