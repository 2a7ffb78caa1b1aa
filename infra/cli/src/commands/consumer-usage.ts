import type { ConsumerUsageResponse } from '@despatch/contracts/administration/consumer-usage'
import { renderTable } from '../table.ts'

type Usage = ConsumerUsageResponse['services'][number]

const header = ['service', 'may use', 'a second', 'burst', 'a day', 'used today', 'left', 'until']

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

function rowOf({ service, isLetIn, requestsPerSecond, burst, day }: Usage): string[] {
  return [
    service,
    isLetIn ? 'yes' : 'no',
    requestsPerSecond?.toString() ?? 'any',
    burst?.toString() ?? 'any',
    day?.requestsPerDay.toString() ?? 'any',
    ...(day ? dayOf(day) : ['-', '-', '-']),
  ]
}

function dayOf({ usedAbout, leftAbout, endsAt }: NonNullable<Usage['day']>): string[] {
  const about = (requests: number | undefined) =>
    requests === undefined ? 'unknown' : `about ${requests}`
  return [about(usedAbout), about(leftAbout), endsAt]
}
