import type { ConsumerUsageResponse } from '@despatch/contracts/administration/consumer-usage'
import { type ComponentChildren, h, type JSX } from 'preact'
import { chip } from '../parts/chips.ts'
import { card, time } from '../parts/elements.ts'
import { bytes, count, percent } from '../parts/format.ts'
import { meter } from '../parts/plot.ts'
import { table } from '../parts/table.ts'
import { whenFull } from './quota-forecast.ts'

type Service = ConsumerUsageResponse['services'][number]

/** From this share of its quota, a day is shown as nearly full. */
const nearlyFull = 0.8

/** Returns the use of the day, with every plan, and how near it is to the limits. `change` changes the plan. */
export function usageCard(usage: ConsumerUsageResponse, change: ComponentChildren): JSX.Element {
  const { services, at, usagePlan } = usage
  const unreportedMax = Math.max(0, ...services.map(({ day }) => day?.unreportedMax ?? 0))
  const endsAt = services.find(({ day }) => day)?.day?.endsAt
  return card(
    {
      title: 'Use against plan',
      meta: chip(['dot', '', usagePlan]),
      right: h(
        'span',
        { class: 'meta' },
        'Today',
        endsAt ? [', until ', time(endsAt)] : ', in UTC',
        ' ',
        change,
      ),
      footer: h(
        'span',
        {},
        services.flatMap((service) => forecastOf(service, at)),
        'Counted at ',
        time(at),
        '. Services report every 10 seconds.',
        unreportedMax > 0 &&
          ` Daily limits are counted in blocks: each process may have let through up to ${count(unreportedMax)} more.`,
      ),
    },
    table({
      caption: 'Use against plan',
      columns: [
        'Service',
        { name: 'Requests today', class: 'num' },
        { name: 'Limit a day', class: 'num p2' },
        { name: 'Bar', class: 'p2 wide-cell', isHidden: true },
        { name: 'Used', class: 'num' },
        { name: 'Refused', class: 'num p2' },
        { name: 'Peak a second', class: 'num p2' },
      ],
      rows: services.map((service) => [
        [service.service, !service.isLetIn && h('span', { class: 'sub' }, 'not allowed to use it')],
        [
          count(service.today.requests),
          service.dayBytes?.usedAbout !== undefined &&
            h(
              'span',
              { class: 'sub' },
              `${bytes(service.dayBytes.usedAbout)} of ${bytes(service.dayBytes.bytesPerDay)}`,
            ),
        ],
        ...ofDay(service),
        service.today.refused > 0
          ? h('span', { class: 'warn strong' }, count(service.today.refused))
          : count(0),
        [
          count(service.today.peakPerSecond),
          h(
            'span',
            { class: 'sub' },
            service.isLimited
              ? `of ${count(service.requestsPerSecond ?? 0)}, and ${count(service.burst ?? 0)} more a minute`
              : 'not limited',
          ),
        ],
      ]),
      empty: 'No services: it may call none.',
    }),
  )
}

function forecastOf({ service, day }: Service, at: string) {
  const full = day && whenFull(day, at)
  if (!full) return []
  return [
    `At this rate ${service} reaches its limit at about `,
    time(full),
    '. Further requests are then refused with 429. ',
  ]
}

function ofDay({ service, day }: Service) {
  if (!day) return ['none', h('span', { class: 'meta' }, 'no daily limit in the plan'), null]
  const { requestsPerDay, usedAbout, isKnown } = day
  if (!isKnown || usedAbout === undefined) {
    return [count(requestsPerDay), 'the shared counters do not respond', null]
  }
  const isNear = usedAbout >= requestsPerDay * nearlyFull
  return [
    count(requestsPerDay),
    meter(usedAbout, requestsPerDay, `${service}, used today`, isNear ? 'warn' : ''),
    h('span', { class: isNear ? 'warn strong' : '' }, percent(usedAbout, requestsPerDay)),
  ]
}
