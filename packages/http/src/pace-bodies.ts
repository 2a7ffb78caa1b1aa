import type { Readable } from 'node:stream'
import { sourceOf } from '@despatch/domain/access/source-address'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

declare module 'fastify' {
  interface FastifyInstance {
    bodyPace: BodyPace
  }
}

/** The pace at which one process reads the large bodies of one caller, on all its connections together. */
const bytesPerSecond = 16 * 1024 * 1024
/** This much is read at once: two inline files of 10 MiB in base64. */
const burstBytes = 32 * 1024 * 1024
/** Smaller bodies are limited by the number of requests. */
const largeBytes = 64 * 1024
/** A client that sends its whole body before it reads the response receives it if the body ends within these. */
const refusedBytesMax = burstBytes
const refusedMsMax = 10_000
const callersKept = 1_000
/** Many connections at once may not keep a caller, or others at its address, waiting for longer. */
const delayMsMax = 5_000

type BodyPace = {
  /** Returns how long to wait until more is read from this caller, in milliseconds. */
  delayMs(caller: string, bytes: number): number
}

export function createBodyPace(now: () => number = performance.now.bind(performance)): BodyPace {
  const msPerByte = 1_000 / bytesPerSecond
  const burstMs = burstBytes * msPerByte
  /** When all bytes of the caller would have arrived, had it sent them at its pace. */
  const paidAt = new Map<string, number>()

  function forgetIdle(at: number): void {
    for (const [caller, paid] of paidAt) if (paid <= at - burstMs) paidAt.delete(caller)
  }
  return {
    delayMs: (caller, bytes) => {
      const at = now()
      if (paidAt.size > callersKept) forgetIdle(at)
      const owed = Math.max(paidAt.get(caller) ?? 0, at - burstMs) + bytes * msPerByte
      const paid = Math.min(owed, at + delayMsMax)
      paidAt.set(caller, paid)
      return Math.max(0, paid - at)
    },
  }
}

/**
 * Reads what no handler has read of a large body at the pace of its caller. The server would read it as fast as it can,
 * which keeps the process from its other requests. Of a body that was refused for what it is, at most 32 MiB more are
 * read, for ten seconds at most. Then the connection is closed.
 */
export function paceBodies(api: FastifyInstance): void {
  api.decorate('bodyPace', createBodyPace())
  api.addHook('onSend', (request, reply, _payload, done) => {
    // the server completes a request without a body only after its listeners
    if (hasBody(request) && !request.raw.complete) answerBeforeEnd(request, reply)
    done()
  })
}

function answerBeforeEnd(request: FastifyRequest, reply: FastifyReply): void {
  // A client that still sends would not receive the response before the connection is closed.
  if (reply.hasHeader('connection')) reply.removeHeader('connection')
  if (isRefused(request, reply)) endInTime(request)
  if (!forwarded.has(request)) dropUnread(request, reply)
}

/** Whether the body was refused for what it is, so that its rest is of no use. */
function isRefused({ bodyReader }: FastifyRequest, { statusCode }: FastifyReply): boolean {
  return statusCode === 413 || bodyReader !== null
}

function dropUnread(request: FastifyRequest, reply: FastifyReply): void {
  if (isRefused(request, reply)) dropRest(request, refusedBytesMax)
  else if (isLarge(request)) dropRest(request)
}

function endInTime({ raw }: FastifyRequest): void {
  const timer = setTimeout(() => raw.destroy(), refusedMsMax)
  raw.once('close', () => clearTimeout(timer))
}

const forwarded = new WeakSet<FastifyRequest>()

/** Leaves a body to the service that it is sent to, until the service has answered or is gone. */
export function forward(request: FastifyRequest, reply: FastifyReply, body: Readable): void {
  forwarded.add(request)
  // Node.js sends no more of a body than it has buffered once the service has answered.
  reply.raw.once('finish', () => body.destroy())
  body.once('close', () => {
    forwarded.delete(request)
    if (!request.raw.complete) dropUnread(request, reply)
  })
}

const dropped = new WeakSet<FastifyRequest>()

/**
 * Reads the rest of a body at the pace of its caller, and drops it. After this many bytes it closes the connection.
 * Further calls have no effect.
 */
function dropRest(request: FastifyRequest, bytesMax = Number.POSITIVE_INFINITY): void {
  if (dropped.has(request)) return
  dropped.add(request)
  const { raw } = request
  let left = bytesMax
  const drop = (part: Buffer | null) => {
    left -= part?.length ?? 0
    if (left < 0) return raw.destroy()
    const ms = part === null ? 0 : delayOf(request, part.length)
    if (ms === 0) return raw.resume()
    raw.pause()
    setTimeout(() => raw.resume(), ms).unref()
  }
  raw.unpipe()
  // Takes what has arrived. A body of which nothing was taken is read by the server when the response is sent.
  const arrived: Buffer | null = raw.read()
  raw.on('data', drop)
  drop(arrived)
}

export function isDropped(request: FastifyRequest): boolean {
  return dropped.has(request)
}

/** Returns how long to wait after this part of the body, in milliseconds. */
export function delayOf({ server, caller, ip }: FastifyRequest, bytes: number): number {
  return server.bodyPace.delayMs(caller?.consumerId ?? sourceOf(ip), bytes)
}

export function hasBody({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

export function isLarge({ headers }: FastifyRequest): boolean {
  return (
    headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > largeBytes
  )
}
