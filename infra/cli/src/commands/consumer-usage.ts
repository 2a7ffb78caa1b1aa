import type { ConsumerUsageResponse } from '@despatch/contracts/administration/consumer-usage'
import { renderTable } from '../table.ts'

type Usage = ConsumerUsageResponse['services'][number]

const header = [
  ...['service', 'may use', 'a second', 'peak', 'burst', 'a day'],
  ...['used today', 'refused', 'left', 'until'],
]

/** Renders what a consumer may use and has used, and how far the counts may lag. */
export function renderConsumerUsage({ usagePlan, at, services }: ConsumerUsageResponse): string {
  if (services.length === 0) return `Plan ${usagePlan}. No services.`
  const unreportedMax = Math.max(0, ...services.map(({ day }) => day?.unreportedMax ?? 0))
  const lag =
    unreportedMax > 0
      ? ` Each process of a service may have accepted up to ${unreportedMax} more requests.`
      : ''
  return `Plan ${usagePlan}, counted at ${at}.${lag}\n\n${renderTable(header, services.map(rowOf))}`
}

function rowOf({ service, isLetIn, requestsPerSecond, burst, today, day }: Usage): string[] {
  return [
    service,
    isLetIn ? 'yes' : 'no',
    requestsPerSecond?.toString() ?? 'any',
    `${today.peakPerSecond}`,
    burst?.toString() ?? 'any',
    day?.requestsPerDay.toString() ?? 'any',
    usedOf(today, day),
    `${today.refused}`,
    ...(day ? [about(day.leftAbout), day.endsAt] : ['-', '-']),
  ]
}

function usedOf({ requests }: Usage['today'], day: Usage['day']): string {
  return day ? about(day.usedAbout) : `${requests}`
}

function about(requests: number | undefined): string {
  return requests === undefined ? 'unknown' : `about ${requests}`
}
