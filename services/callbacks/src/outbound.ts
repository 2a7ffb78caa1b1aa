import { lookup as resolve } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import type { AttemptResult } from '@despatch/domain/callback/retry'
import { parseRetryAfter } from '@despatch/domain/callback/retry-after'
import { Agent, buildConnector, type Dispatcher, errors } from 'undici'
import { type AllowedRange, mayConnect } from './may-call.ts'

export type OutboundCall = {
  origin: string
  path: string
  headers: Record<string, string>
  body: Uint8Array
}

/** `failure` is a class of error for the log, never a message. */
export type OutboundAnswer = { result: AttemptResult; failure?: string }

export type Outbound = {
  /** Makes one POST and never throws: what went wrong is the answer. */
  post(call: OutboundCall): Promise<OutboundAnswer>
  close(): Promise<void>
}

export type OutboundOptions = {
  allowed: readonly AllowedRange[]
  callsPerOriginMax: number
  /** From the start of the connection to the end of the answer's body. */
  deadlineMs: number
  lookup?: LookupFunction
}

const connectDeadlineMs = 5_000
const answerBytesMax = 64 * 1024
const answerHeaderBytesMax = 16 * 1024
// Shorter than common servers keep a connection, so that a call seldom meets one that is being closed.
const idleConnectionMs = 3_000
const connectionAgeMsMax = 60_000

/**
 * Opens what makes calls to addresses that consumers chose. It connects only where `mayConnect` lets it, follows no
 * redirect, knows no proxy, and reads a bounded answer in bounded time.
 */
export function openOutbound(options: OutboundOptions): Outbound {
  const { callsPerOriginMax, deadlineMs } = options
  const agent = new Agent({
    connect: guardedConnector(options),
    connections: callsPerOriginMax,
    pipelining: 1,
    allowH2: false,
    headersTimeout: deadlineMs,
    bodyTimeout: deadlineMs,
    maxHeaderSize: answerHeaderBytesMax,
    maxResponseSize: answerBytesMax,
    keepAliveTimeout: idleConnectionMs,
    keepAliveMaxTimeout: connectionAgeMsMax,
  })
  return {
    post: (call) => post(agent, call, deadlineMs),
    // What is under way ends by its own deadline.
    close: () => agent.close(),
  }
}

async function post(
  agent: Agent,
  { origin, path, headers, body }: OutboundCall,
  deadlineMs: number,
): Promise<OutboundAnswer> {
  const signal = AbortSignal.timeout(deadlineMs)
  try {
    const answer = await agent.request({ origin, path, method: 'POST', headers, body, signal })
    await discardBody(answer, signal)
    return { result: readAnswer(answer) }
  } catch (error) {
    return readFailure(error)
  }
}

// The status has decided by now: a body that is too long, too slow or cut off changes nothing.
async function discardBody({ body }: Dispatcher.ResponseData, signal: AbortSignal): Promise<void> {
  await body.dump({ limit: answerBytesMax, signal }).catch(() => {})
}

function readAnswer({ statusCode, headers }: Dispatcher.ResponseData): AttemptResult {
  const retryAfter = headers['retry-after']
  return {
    kind: 'answered',
    httpStatus: statusCode,
    retryAfterSeconds: parseRetryAfter([retryAfter].flat()[0], new Date()),
  }
}

const faultsOfOurs = ['EAI_AGAIN', 'EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM', 'EADDRNOTAVAIL']

function readFailure(error: unknown): OutboundAnswer {
  if (error instanceof errors.InvalidArgumentError) {
    return { result: { kind: 'unsendable' }, failure: 'header' }
  }
  if (!(error instanceof NotConnected)) {
    return { result: { kind: 'unknown' }, failure: classOf(error) }
  }
  const failure = classOf(error.cause)
  return { result: { kind: faultsOfOurs.includes(failure) ? 'fault' : 'unreached' }, failure }
}

function classOf(error: unknown): string {
  const { code, name } = error as { code?: unknown; name?: unknown }
  return String(typeof code === 'string' ? code : name)
}

/** The connection was not made, so nothing was sent. */
class NotConnected extends Error {
  override readonly name = 'NotConnected'
}

class ForbiddenAddress extends Error {
  override readonly name = 'ForbiddenAddress'
  override readonly message = 'no address that may be called'
}

function guardedConnector({ allowed, lookup = resolve }: OutboundOptions) {
  const connect = buildConnector({
    timeout: connectDeadlineMs,
    lookup: guardedLookup(lookup as LookupFunction, allowed),
    autoSelectFamily: true,
    allowH2: false,
  } as buildConnector.BuildOptions)
  const guarded: buildConnector.connector = (options, done) => {
    const fail = (cause: Error) => done(new NotConnected('no connection', { cause }), null)
    // An address that stands in the target itself is not looked up.
    if (isIP(options.hostname) && !mayConnect(options.hostname, allowed)) {
      return fail(new ForbiddenAddress())
    }
    connect(options, (...[error, socket]) => {
      if (error) return fail(error)
      // Resolving is guarded already; this holds even if a connection comes about in another way.
      if (mayConnect(socket.remoteAddress ?? '', allowed)) return done(null, socket)
      socket.destroy()
      fail(new ForbiddenAddress())
    })
  }
  return guarded
}

/** Resolves a name to the addresses that may be connected to. The socket uses these and no others. */
function guardedLookup(lookup: LookupFunction, allowed: readonly AllowedRange[]): LookupFunction {
  return (hostname, options, done) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error) return done(error, [])
      const addresses = Array.isArray(found) ? found : []
      const open = addresses.filter(({ address }) => mayConnect(address, allowed))
      const [first] = open
      if (!first) return done(new ForbiddenAddress(), [])
      if (options.all) return done(null, open)
      done(null, first.address, first.family)
    })
  }
}
