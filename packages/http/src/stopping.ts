import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import type { Service } from './service.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** True once the process is about to stop: it is no longer ready but still answers. */
    stopping: { hasBegun: boolean }
  }
}

/**
 * Reports "not ready" for `delayMs` and closes each connection after its next response, so that a load balancer removes
 * this process before its listener closes. Requests are still answered. Returns early when the signal aborts.
 */
export async function announceStop(
  { api }: Pick<Service, 'api'>,
  { delayMs, signal }: { delayMs: number; signal: AbortSignal },
): Promise<void> {
  if (delayMs === 0) return
  api.stopping.hasBegun = true
  // Runs first, before any listener that answers the request.
  api.server.prependListener('request', closeAfterAnswer)
  await pause(delayMs, undefined, { signal }).catch(() => {})
}

function closeAfterAnswer(_request: IncomingMessage, response: ServerResponse): void {
  response.setHeader('connection', 'close')
}
