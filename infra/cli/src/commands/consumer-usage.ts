import type { ConsumerUsageResponse } from '@despatch/contracts/administration/consumer-usage'
import { renderTable } from '../table.ts'

type Usage = ConsumerUsageResponse['services'][number]

const header = [
  ...['service', 'may use', 'a second', 'peak', 'burst', 'a day'],
  ...['used today', 'refused', 'left', 'bytes a day', 'bytes used', 'bytes left', 'until'],
]

/** Renders what a consumer may use and has used, and how far the counts may lag. */
export function renderConsumerUsage({ usagePlan, at, services }: ConsumerUsageResponse): string {
  if (services.length === 0) return `Plan ${usagePlan}. No services.`
  const lags = [
    ...lagOf(services, ({ day }) => day, 'requests'),
    ...lagOf(services, ({ dayBytes }) => dayBytes, 'bytes of bodies'),
  ]
  const lag =
    lags.length > 0 ? ` Each process of a service may have accepted ${lags.join(' and ')}.` : ''
  return `Plan ${usagePlan}, counted at ${at}.${lag}\n\n${renderTable(header, services.map(rowOf))}`
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

function rowOf(usage: Usage): string[] {
  const { service, isLetIn, requestsPerSecond, burst, today, day, dayBytes } = usage
  return [
    service,
    isLetIn ? 'yes' : 'no',
    requestsPerSecond?.toString() ?? 'any',
    `${today.peakPerSecond}`,
    burst?.toString() ?? 'any',
    day?.requestsPerDay.toString() ?? 'any',
    day ? about(day.usedAbout) : `${today.requests}`,
    `${today.refused}`,
    day ? about(day.leftAbout) : '-',
    dayBytes?.bytesPerDay.toString() ?? 'any',
    ...(dayBytes ? [about(dayBytes.usedAbout), about(dayBytes.leftAbout)] : ['-', '-']),
    (day ?? dayBytes)?.endsAt ?? '-',
  ]
}

function about(count: number | undefined): string {
  return count === undefined ? 'unknown' : `about ${count}`
}
