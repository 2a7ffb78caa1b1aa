import { type AttemptOutcome, outcomeOfStatus } from '@despatch/domain/callback/attempt-outcome'
import type { AttemptResult } from '@despatch/domain/callback/retry'
import { parseRetryAfter } from '@despatch/domain/callback/retry-after'
import type { Dispatcher } from 'undici'
import { type Connections, ForbiddenAddress, NotConnected } from './connect.ts'
import { NotResolved } from './resolve.ts'
import { NoTunnel } from './tunnel.ts'

/** The result of one call. */
export type OutboundAnswer = {
  result: AttemptResult
  outcome: AttemptOutcome
  /** The class of the error, never its message. */
  failure?: string
  /** The address of the connection. */
  address?: string
  /** The first bytes of the response body, as received. */
  body?: Uint8Array
}

const answerBytesMax = 64 * 1024
export const answerBytesKept = 4 * 1024
const informationalAnswersMax = 10
/** Limit for all bytes of the connection, because the framing of a response can be as endless as its body. */
const connectionBytesMax = 256 * 1024
const watchEveryMs = 100
const firstFinalStatus = 200

/**
 * One call under way. It ends once: with the response, at the deadline, or with an error. The status decides the
 * result; a body that is too long, too slow or cut off does not change it.
 */
export class OutboundAttempt implements Dispatcher.DispatchHandler {
  connections: Connections | undefined
  readonly #resolve: (answer: OutboundAnswer) => void
  readonly #endsAt: number
  #timer: NodeJS.Timeout
  #controller: Dispatcher.DispatchController | undefined
  #address: string | undefined
  #bytesBefore = 0
  #result: (AttemptResult & { kind: 'answered' }) | undefined
  #informationalAnswers = 0
  #bytesRead = 0
  #kept: Buffer[] = []
  #bytesKept = 0
  #hasEnded = false

  constructor(deadlineMs: number, resolve: (answer: OutboundAnswer) => void) {
    this.#resolve = resolve
    this.#endsAt = performance.now() + deadlineMs
    this.#timer = setTimeout(this.#watch, Math.min(deadlineMs, watchEveryMs))
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // A process that was frozen handles the new connection before the timer.
    if (performance.now() >= this.#endsAt) this.#stop('deadline', 'timeout')
    // The deadline passed before there was a connection. The result already says that nothing was sent.
    if (this.#hasEnded) {
      controller.abort(new Error('too late'))
      return
    }
    this.#controller = controller
    this.connections?.awaitResponse()
    this.#address = this.connections?.address
    this.#bytesBefore = this.connections?.bytesRead ?? 0
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    statusCode: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (statusCode < firstFinalStatus) {
      this.#informationalAnswers += 1
      if (this.#informationalAnswers > informationalAnswersMax) this.#stop('informational')
      return
    }
    const [retryAfter, date] = ['retry-after', 'date'].map((name) => [headers[name]].flat()[0])
    this.#result = {
      kind: 'answered',
      httpStatus: statusCode,
      ...(retryAfter !== undefined && {
        retryAfterSeconds: parseRetryAfter(retryAfter, { date, now: new Date() }),
      }),
    }
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytesRead += chunk.length
    const isTooLong = this.#bytesRead > answerBytesMax
    if (this.#bytesKept < answerBytesKept) {
      // Copies the bytes, because the parser reuses its memory.
      const kept = Buffer.from(chunk.subarray(0, answerBytesKept - this.#bytesKept))
      this.#kept.push(kept)
      this.#bytesKept += kept.length
    }
    if (isTooLong) this.#stop('length')
  }

  onResponseEnd(): void {
    this.#end()
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    if (this.#hasEnded) return
    if (this.#controller)
      this.#end({ result: { kind: 'unknown' }, outcome: 'unknown', failure: classOf(error) })
    else this.#end(readNotSent(error), error instanceof NotConnected && error.isConnected)
  }

  readonly #watch = (): void => {
    const leftMs = this.#endsAt - performance.now()
    const bytesRead = (this.connections?.bytesRead ?? 0) - this.#bytesBefore
    if (leftMs <= 0) this.#stop('deadline', 'timeout')
    else if (this.#controller && bytesRead > connectionBytesMax) this.#stop('length')
    else this.#timer = setTimeout(this.#watch, Math.min(leftMs, watchEveryMs))
  }

  #stop(failure: string, outcome: AttemptOutcome = 'unknown'): void {
    const wasSent = this.#controller !== undefined
    if (wasSent) this.#end({ result: { kind: 'unknown' }, outcome, failure })
    else this.#end({ result: { kind: 'unreached' }, outcome, failure: `${failure}-unsent` })
    this.#controller?.abort(new Error(failure))
  }

  /** Ends the attempt. Without a status, the result is `otherwise`. */
  #end(otherwise: OutboundAnswer = noStatus, isConnected = false): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    clearTimeout(this.#timer)
    const address = this.#address ?? (isConnected ? this.connections?.address : undefined)
    const answer = this.#result
      ? { result: this.#result, outcome: outcomeOfStatus(this.#result.httpStatus) }
      : otherwise
    this.#resolve({
      ...answer,
      ...(address !== undefined && { address }),
      ...(this.#bytesKept > 0 && { body: Buffer.concat(this.#kept) }),
    })
  }
}

const noStatus: OutboundAnswer = { result: { kind: 'unknown' }, outcome: 'unknown' }
const limitsOfOurs = ['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM', 'EADDRNOTAVAIL']
const timeouts = ['UND_ERR_CONNECT_TIMEOUT', 'ETIMEDOUT']

/** Returns the result for an error before anything was sent. */
function readNotSent(error: Error): OutboundAnswer {
  if (!(error instanceof NotConnected)) {
    return { result: { kind: 'fault' }, outcome: 'connection_failed', failure: classOf(error) }
  }
  const { cause, isConnected } = error
  const failure = classOf(cause)
  const unreached = { kind: 'unreached' } as const
  if (cause instanceof NotResolved) {
    const result = cause.isFaultOfOurs ? ({ kind: 'fault' } as const) : unreached
    return { result, outcome: 'dns_error', failure }
  }
  if (cause instanceof ForbiddenAddress) {
    return { result: unreached, outcome: 'blocked_address', failure }
  }
  if (limitsOfOurs.includes(failure) || (cause instanceof NoTunnel && cause.isFaultOfOurs)) {
    return { result: { kind: 'fault' }, outcome: 'connection_failed', failure }
  }
  if (timeouts.includes(failure)) return { result: unreached, outcome: 'timeout', failure }
  if (isConnected) return { result: unreached, outcome: 'tls_error', failure }
  const isRefused = failure === 'ECONNREFUSED'
  const outcome = isRefused ? 'connection_refused' : 'connection_failed'
  return { result: unreached, outcome, failure }
}

function classOf(error: unknown): string {
  const { code, name } = error as { code?: unknown; name?: unknown }
  return String(typeof code === 'string' ? code : name)
}
