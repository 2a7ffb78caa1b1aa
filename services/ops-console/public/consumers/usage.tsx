import type { ConsumerUsageResponse } from '@despatch/contracts/administration/consumer-usage'
import type { ComponentChildren } from 'preact'
import { Chip } from '../parts/chips.tsx'
import { Time } from '../parts/elements.tsx'
import { bytes, count, percent } from '../parts/format.ts'
import { Meter } from '../parts/plot.tsx'
import { TableCard } from '../parts/table.tsx'
import { whenFull } from './quota-forecast.ts'

type Service = ConsumerUsageResponse['services'][number]

/** From this share of its quota, a day is shown as nearly full. */
const nearlyFull = 0.8

type UsageCardProps = {
  usage: ConsumerUsageResponse
  /** Changes the plan. */
  children: ComponentChildren
}

/** The use of the day, with every plan, and how near it is to the limits. */
export function UsageCard({ usage, children }: UsageCardProps) {
  const { services, at, usagePlan } = usage
  const unreportedMax = Math.max(0, ...services.map(({ day }) => day?.unreportedMax ?? 0))
  const endsAt = services.find(({ day }) => day)?.day?.endsAt
  return (
    <TableCard
      title="Use against plan"
      meta={<Chip look={['dot', '', usagePlan]} />}
      right={
        <span class="meta">
          Today
          {endsAt ? (
            <>
              , until <Time at={endsAt} />
            </>
          ) : (
            ', in UTC'
          )}{' '}
          {children}
        </span>
      }
      footer={
        <span>
          {services.flatMap((service) => forecastOf(service, at))}
          Counted at <Time at={at} />. Services report every 10 seconds.
          {unreportedMax > 0 &&
            ` Daily limits are counted in blocks: each process may have let through up to ${count(unreportedMax)} more.`}
        </span>
      }
      columns={[
        'Service',
        { name: 'Requests today', class: 'num' },
        { name: 'Limit a day', class: 'num p2' },
        { name: 'Bar', class: 'p2 wide-cell', isHidden: true },
        { name: 'Used', class: 'num' },
        { name: 'Refused', class: 'num p2' },
        { name: 'Peak a second', class: 'num p2' },
      ]}
      rows={services.map((service) => [
        [service.service, !service.isLetIn && <span class="sub">not allowed to use it</span>],
        [
          count(service.today.requests),
          service.dayBytes?.usedAbout !== undefined && (
            <span class="sub">
              {bytes(service.dayBytes.usedAbout)} of {bytes(service.dayBytes.bytesPerDay)}
            </span>
          ),
        ],
        ...ofDay(service),
        service.today.refused > 0 ? (
          <span class="warn strong">{count(service.today.refused)}</span>
        ) : (
          count(0)
        ),
        [
          count(service.today.peakPerSecond),
          <span class="sub">
            {service.isLimited
              ? `of ${count(service.requestsPerSecond ?? 0)}, and ${count(service.burst ?? 0)} more a minute`
              : 'not limited'}
          </span>,
        ],
      ])}
      empty="No services: it may call none."
    />
  )
}

function forecastOf({ service, day }: Service, at: string) {
  const full = day && whenFull(day, at)
  if (!full) return []
  return [
    `At this rate ${service} reaches its limit at about `,
    <Time at={full} />,
    '. Further requests are then refused with 429. ',
  ]
}

function ofDay({ service, day }: Service) {
  if (!day) return ['none', <span class="meta">no daily limit in the plan</span>, null]
  const { requestsPerDay, usedAbout, isKnown } = day
  if (!isKnown || usedAbout === undefined) {
    return [count(requestsPerDay), 'the shared counters do not respond', null]
  }
  const isNear = usedAbout >= requestsPerDay * nearlyFull
  return [
    count(requestsPerDay),
    <Meter
      part={usedAbout}
      all={requestsPerDay}
      name={`${service}, used today`}
      tone={isNear ? 'warn' : ''}
    />,
    <span class={isNear ? 'warn strong' : ''}>{percent(usedAbout, requestsPerDay)}</span>,
  ]
}
