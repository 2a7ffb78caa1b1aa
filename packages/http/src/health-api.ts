import type { Logger } from '@despatch/telemetry/logger'
import type { Registry } from '@despatch/telemetry/metrics'
import { type Api, createApi } from './api.ts'
import { type HealthCheck, registerHealth } from './health.ts'

export type HealthApiOptions = {
  name: string
  log: Logger
  metrics: Registry
  ready(): Promise<HealthCheck[]>
  alive?: () => Promise<HealthCheck[]>
}

/** Creates the HTTP side of a service that only works in the background: health and metrics. */
export async function createHealthApi({
  name,
  log,
  metrics,
  ready,
  alive,
}: HealthApiOptions): Promise<Api> {
  const api = await createApi({
    name,
    prefix: `/${name}`,
    log,
    metrics,
    bodyBytesMax: 1024,
    openapi: { title: name, description: 'Health and metrics', version: '1.0.0' },
    renderProblem: ({ kind, message }) => ({
      status: kind === 'unavailable' ? 503 : 404,
      body: { errors: [{ detail: message }] },
    }),
    renderFault: (errorId) => ({ status: 500, body: { errors: [{ detail: errorId }] } }),
  })
  registerHealth(api, { ready, alive, metrics })
  return api
}
