import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { answer, type Context } from './answer.ts'
import { type AccessKey, checkSignature } from './check-signature.ts'
import { parseRequest } from './parse-request.ts'
import { readOperation } from './read-operation.ts'
import { S3Error } from './s3-error.ts'
import { element, sendXml } from './xml.ts'

type Options = Context & { key: AccessKey; region: string }

const dropMsMax = 10_000

/**
 * Returns the listener of the S3 server. A request is parsed once; its signature is checked over the parsed values, and
 * the operation is read from them. No fault of one request ends the process. `idle` resolves when no request is worked
 * on.
 */
export function serveObjects({ key, region, ...context }: Options): {
  listener: RequestListener
  idle(): Promise<void>
} {
  const running = new Set<Promise<void>>()
  const latest = new WeakMap<Socket, Promise<void>>()

  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    try {
      const parsed = parseRequest(request)
      const signed = checkSignature(parsed, { key, region, now: new Date() })
      const operation = readOperation(parsed, signed, context.bucket)
      await answer(operation, signed, context, [request, response])
    } catch (error) {
      refuse(error, request, response)
    }
  }
  const run = async (request: IncomingMessage, response: ServerResponse) => {
    if (request.destroyed) return
    const served = serve(request, response).catch(() => void response.destroy())
    running.add(served)
    await served
    running.delete(served)
  }
  return {
    listener: (request, response) => {
      for (const stream of [request, response]) stream.on('error', () => {})
      const { socket } = request
      const closed = new Promise<void>((resolve) => response.once('close', resolve))
      // A client may send many requests before it reads a response. Each waits until the one before is answered, so
      // that a connection has one file open at most.
      const before = latest.get(socket)
      latest.set(socket, closed)
      if (before !== undefined) void before.then(() => run(request, response))
      else void run(request, response)
    },
    idle: async () => {
      await Promise.all(running)
    },
  }
}

function refuse(error: unknown, request: IncomingMessage, response: ServerResponse): void {
  if (response.headersSent) return void response.destroy()
  dropRest(request)
  const { status, code, message } = error instanceof S3Error ? error : faultOf(error)
  sendXml(response, status, element('Error', { Code: code, Message: message }))
}

function faultOf(error: unknown): S3Error {
  const { code = 'unknown' } = error as NodeJS.ErrnoException
  return new S3Error('InternalError', `The store has failed (${code})`)
}

/**
 * Reads and drops what is left of a body, for ten seconds at most, and then closes the connection. A client that sends
 * its whole body before it reads the response would otherwise not receive the refusal.
 */
function dropRest(request: IncomingMessage): void {
  if (request.complete || request.destroyed) return
  const timer = setTimeout(() => request.destroy(), dropMsMax)
  request.once('close', () => clearTimeout(timer))
  request.resume()
}
