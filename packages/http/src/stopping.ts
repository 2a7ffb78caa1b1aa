import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import type { Service } from './service.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Whether the process is about to stop: it is no longer ready, and still answers. */
    stopping: { hasBegun: boolean }
  }
}

/**
 * Answers as before for `delayMs`, but is not ready and has each caller close its connection, so that a load balancer takes
 * this process out before its listener closes. Ends early when the signal aborts.
 */
export async function announceStop(
  { api }: Pick<Service, 'api'>,
  { delayMs, signal }: { delayMs: number; signal: AbortSignal },
): Promise<void> {
  if (delayMs === 0) return
  api.stopping.hasBegun = true
  // before the request is answered, by whatever answers it
  api.server.prependListener('request', closeAfterAnswer)
  await pause(delayMs, undefined, { signal }).catch(() => {})
}

function closeAfterAnswer(_request: IncomingMessage, response: ServerResponse): void {
  response.setHeader('connection', 'close')
}
