import type { ConsumerUsageResponse } from '@despatch/contracts/administration/consumer-usage'
import { renderRows } from '../table.ts'

type Usage = ConsumerUsageResponse['services'][number]

/** Renders what a consumer may use and has used, and how far the counts may lag. */
export function renderConsumerUsage({ usagePlan, at, services }: ConsumerUsageResponse): string {
  if (services.length === 0) return `Plan ${usagePlan}. No services.`
  const lags = [
    ...lagOf(services, ({ day }) => day, 'requests'),
    ...lagOf(services, ({ dayBytes }) => dayBytes, 'bytes of bodies'),
  ]
  const lag =
    lags.length > 0 ? ` Each process of a service may have accepted ${lags.join(' and ')}.` : ''
  const table = renderRows(services, {
    service: 'service',
    'may use': ({ isLetIn }) => (isLetIn ? 'yes' : 'no'),
    'a second': ({ requestsPerSecond }) => requestsPerSecond ?? 'any',
    peak: ({ today }) => today.peakPerSecond,
    burst: ({ burst }) => burst ?? 'any',
    'a day': ({ day }) => day?.requestsPerDay ?? 'any',
    'used today': ({ day, today }) => (day ? about(day.usedAbout) : today.requests),
    refused: ({ today }) => today.refused,
    left: ({ day }) => day && about(day.leftAbout),
    'bytes a day': ({ dayBytes }) => dayBytes?.bytesPerDay ?? 'any',
    'bytes used': ({ dayBytes }) => dayBytes && about(dayBytes.usedAbout),
    'bytes left': ({ dayBytes }) => dayBytes && about(dayBytes.leftAbout),
    until: ({ day, dayBytes }) => (day ?? dayBytes)?.endsAt,
  })
  return `Plan ${usagePlan}, counted at ${at}.${lag}\n\n${table}`
}

type Day = Pick<NonNullable<Usage['day']>, 'usedAbout' | 'leftAbout' | 'endsAt' | 'unreportedMax'>

function lagOf(
  services: readonly Usage[],
  dayOf: (usage: Usage) => Day | undefined,
  unit: string,
): string[] {
  const unreportedMax = Math.max(0, ...services.map((usage) => dayOf(usage)?.unreportedMax ?? 0))
  return unreportedMax > 0 ? [`about ${unreportedMax} more ${unit}`] : []
}

function about(count: number | undefined): string {
  return count === undefined ? 'unknown' : `about ${count}`
}
