import type { Judgement } from './judgement.ts'
import type { Pace } from './pace.ts'
import type { Platform } from './platform.ts'
import type { RunFacts } from './run-facts.ts'
import type { SeededRun } from './seed-run.ts'
import type { Call, Fault } from './transcript.ts'

/** A response as it is sent. */
export type Answer = {
  status: number
  headers: Readonly<Record<string, string>>
  body: Uint8Array
}

type Soon<Value> = Value | Promise<Value>

/** The faults of a case. Each member is called for each call while the case is played. */
export type Script = {
  /** Called before the platform. A returned answer replaces the platform's. */
  before?(call: Call): Soon<{ fault: Fault; answer: Answer } | undefined>
  /** Called with the platform's answer. Returns the one that the client receives. */
  alter?(call: Call, answer: Answer): Soon<Answer>
  /** Called with the answered call. Returns what happened to the answer. */
  after?(call: Call): Soon<Fault | undefined>
  /** Returns true if the bytes of the document are altered this time. */
  alters?(documentId: string): boolean
}

/** The environment in which a case is played. */
export type Stage = {
  run: SeededRun
  platform: Platform
  pace: Pace
  /** Expires every token issued so far. */
  expireTokens(): void
}

/** The data that a case is judged by. */
export type Evidence = {
  run: SeededRun
  facts: RunFacts
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
  /** How many reprints are authorised at once. Default: all. */
  reprintsFreeMax?: number
  script(stage: Stage): Script
  /** Judges the evidence so far. It is called again after each call. */
  judge(evidence: Evidence): Judgement
}
