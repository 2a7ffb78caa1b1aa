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
