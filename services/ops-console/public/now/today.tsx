import type { ComponentChildren } from 'preact'
import { successOf } from '../callbacks/success.ts'
import { withQuery } from '../parts/api.ts'
import { count, countOf, dayAfter, dayName } from '../parts/format.ts'
import type { Facts } from '../parts/live.ts'

/** The numbers of today, with the whole of the same day of the last week to compare with. */
export function Strip({ today, flow }: Facts) {
  const { soFar, weekAgo, date } = today ?? {}
  const before = (name: keyof NonNullable<typeof weekAgo>) =>
    weekAgo && date && `${count(weekAgo[name])} in all of ${dayName(dayAfter(date, -7))}`
  const [delivered, failed] = (['delivered', 'failed'] as const).map((name) =>
    (flow ?? []).reduce((total, minute) => total + minute[name], 0),
  ) as [number, number]
  const attempts = { attempts: delivered + failed, successes: delivered }
  const { text, tone } = successOf(attempts)
  const entries = [
    ['Received today', soFar?.received, before('received'), { createdFrom: date }],
    ['Despatched today', soFar?.despatched, before('despatched')],
    [
      'Rejected today',
      soFar?.rejected,
      before('rejected'),
      { status: 'REJECTED', createdFrom: date },
    ],
  ] as const
  return (
    <section class="card" aria-label="Today">
      <dl class="stats">
        {entries.map(([name, value, remark, filter]) =>
          stat(
            name,
            value === undefined ? (
              '–'
            ) : filter ? (
              <a class="plain" href={withQuery('/print-jobs', filter)}>
                {count(value)}
              </a>
            ) : (
              count(value)
            ),
            remark,
          ),
        )}
        {stat(
          'Callbacks delivered, last hour',
          <a class={`plain ${tone === 'ok' ? '' : tone}`.trim()} href="/callbacks">
            {text}
          </a>,
          `of ${countOf(attempts.attempts, 'attempt')}`,
        )}
      </dl>
    </section>
  )
}

function stat(name: string, value: ComponentChildren, remark: ComponentChildren) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
      <dd>{remark}</dd>
    </div>
  )
}
