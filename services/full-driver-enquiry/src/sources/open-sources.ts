import { cpcAnswerSchema, tachographAnswerSchema } from '@despatch/contracts/driver-sources/answers'
import {
  type DriverSourceName,
  retrieveCpc,
  retrieveTachograph,
} from '@despatch/contracts/driver-sources/operations'
import { close } from '@despatch/http/service'
import type { Logger } from '@despatch/telemetry/logger'
import type { Registry } from '@despatch/telemetry/metrics'
import type { z } from 'zod'
import type { FullDriverEnquiryConfig } from '../config.ts'
import { type BreakerLimits, guardSource } from './guard-source.ts'
import type { DriverSources } from './source-answer.ts'
import { openSourceClient } from './source-client.ts'
import { createSourceMetrics } from './source-metrics.ts'

/** Opens the sources of CPC and tachograph data, each with its own time limit and breaker. */
export function openSources(
  parts: AsyncDisposableStack,
  config: FullDriverEnquiryConfig,
  {
    log,
    metrics: registry,
    breaker: limits,
  }: { log: Logger; metrics: Registry; breaker?: BreakerLimits | undefined },
): DriverSources {
  const metrics = createSourceMetrics(registry)
  function open<Data>(
    name: DriverSourceName,
    { url, path, schema }: { url: string; path: string; schema: z.ZodType<Data> },
  ) {
    const client = parts.adopt(
      openSourceClient({
        url,
        path,
        schema,
        token: config.DESPATCH_SOURCE_TOKEN,
        deadlineMs: config.DESPATCH_SOURCE_TIMEOUT_MS,
      }),
      close,
    )
    return parts.adopt(guardSource(name, client.ask, { limits, metrics, log }), close).ask
  }
  return {
    cpc: open('cpc', {
      url: config.DESPATCH_CPC_URL,
      path: retrieveCpc.url,
      schema: cpcAnswerSchema,
    }),
    tachograph: open('tachograph', {
      url: config.DESPATCH_TACHOGRAPH_URL,
      path: retrieveTachograph.url,
      schema: tachographAnswerSchema,
    }),
  }
}
