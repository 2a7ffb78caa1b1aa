import type { MetricsExportSettings } from '@despatch/telemetry/open-metrics-export'
import type { ApiOptions } from './api.ts'
import type { ConnectionSettings } from './connection-limits.ts'

/** Settings of every process that listens. */
type ListenSettings = ConnectionSettings & {
  DESPATCH_TRUSTED_PROXIES?: number
  DESPATCH_SOURCE_REQUESTS_PER_SECOND: number
  DESPATCH_METRICS_TOKEN?: string | undefined
} & MetricsExportSettings

/** The options of an API that the settings of its process decide. */
export type ListenOptions = Pick<
  ApiOptions,
  'trustedProxies' | 'sourceRequestsPerSecond' | 'metricsToken' | 'metricsExport' | 'connections'
>

export function listenOptions(settings: ListenSettings): ListenOptions {
  const { DESPATCH_TRUSTED_PROXIES: trustedProxies } = settings
  return {
    ...(trustedProxies !== undefined && { trustedProxies }),
    sourceRequestsPerSecond: settings.DESPATCH_SOURCE_REQUESTS_PER_SECOND,
    connections: settings,
    metricsToken: settings.DESPATCH_METRICS_TOKEN,
    metricsExport: settings,
  }
}
