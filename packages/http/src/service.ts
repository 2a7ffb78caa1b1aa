import type { Registry } from '@despatch/telemetry/metrics'
import type { FastifyInstance } from 'fastify'
import type { HealthCheck } from './health.ts'

/**
 * An HTTP service as its launcher and the gateway see it. It serves through `api.routing(request, response)` once
 * `api.ready()` has resolved, so it works the same whether it listens or is mounted.
 */
export type Service = {
  name: string
  // biome-ignore lint/suspicious/noExplicitAny: the launcher only starts and stops it, whatever its type provider
  api: FastifyInstance<any, any, any, any, any>
  ready(): Promise<HealthCheck[]>
  /** Checks for states that only a restart of the process resolves. */
  alive?: () => Promise<HealthCheck[]>
  /** The metrics of this service, for another service of the same process that reports them all. */
  metrics?: Registry
  close(): Promise<void>
}

/** A part of a service, such as a connection pool or a loop. */
export type Part = { close(): Promise<void> | void }

/**
 * Closes a part of a service, if there is one. Pass it to `adopt` of an AsyncDisposableStack, which closes the parts in
 * reverse order.
 */
export function close(part: Part | undefined): Promise<void> | void {
  return part?.close()
}

/** Closes parts at the same time, and waits for all of them even if one fails. */
export async function closeTogether(parts: readonly Part[]): Promise<void> {
  const closing = parts.toReversed().map(async (part) => part.close())
  await Promise.allSettled(closing)
  await Promise.all(closing)
}
