import { signal } from '@preact/signals'
import { h, type JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { chip } from '../parts/chips.ts'
import { banner, card, head, icon, skeleton, time } from '../parts/elements.ts'
import { type Facts, facts, type Health } from '../parts/live.ts'
import { announce } from '../parts/notice.ts'
import { pollMsMax, repeat } from '../parts/repeat.ts'
import { start } from '../parts/shell.ts'
import { table } from '../parts/table.ts'

const readEveryMs = 5_000
type Read = { at: string; checks: Health['checks'] | null; tookMs: number }

const health = signal<Read | undefined>()

async function read(): Promise<void> {
  const begun = performance.now()
  const checks = await fetch('/health/ready', { signal: AbortSignal.timeout(pollMsMax) })
    .then((answer) => answer.json())
    .then((answer: Health) => answer.checks)
    .catch(() => null)
  health.value = {
    at: new Date().toISOString(),
    checks,
    tookMs: Math.round(performance.now() - begun),
  }
  announce(sentenceOf(health.value), { isUnseen: true })
}

type Outage = NonNullable<Facts['figures']>['outages'][number]

/** What services report that they cannot reach. Undefined: nobody knows. */
function outagesNow(): readonly Outage[] | undefined {
  return facts.value?.figures?.outages
}

function sentenceOf({ checks }: Read): string {
  if (!checks) return 'Despatch does not respond.'
  const failing = checks.filter(({ ok }) => !ok).map(({ name }) => name)
  const away = (outagesNow() ?? []).map(
    ({ dependency, services }) => `${dependency} (reported by ${services.join(', ')})`,
  )
  return [
    failing.length > 0 && `Failing: ${failing.join(', ')}.`,
    away.length > 0 && `Unavailable: ${away.join(', ')}.`,
    failing.length + away.length === 0 && 'No check fails, and no service reports an outage.',
  ]
    .filter(Boolean)
    .join(' ')
}

function HealthPage(): JSX.Element[] {
  useEffect(() => repeat(read, readEveryMs), [])
  const seen = health.value
  const heading = head('Health', {
    tools: h('a', { class: 'btn', href: '/health/ready' }, icon('ext'), 'As JSON'),
  })
  if (!seen) return [...heading, skeleton('Checks')]
  const failing = seen.checks?.filter(({ ok }) => !ok) ?? []
  const isReady = seen.checks !== null && failing.length === 0
  const isBad = !isReady || (outagesNow() ?? []).length > 0
  return [
    ...heading,
    h(
      'div',
      { class: 'stack' },
      banner({
        tone: isBad ? 'bad' : undefined,
        line: [
          !isReady
            ? chip(['rejected', 'bad', 'Not ready'], true)
            : isBad
              ? chip(['alert', 'bad', 'Outage'], true)
              : chip(['despatched', 'ok', 'Ready'], true),
          h(
            'span',
            { class: 'meta' },
            'as of ',
            time(seen.at, 'clock'),
            `, answered in ${seen.tookMs} ms`,
          ),
        ],
        say: sentenceOf(seen),
        why: {
          'What happens next':
            isBad &&
            'Letters wait, and continue when the dependency answers again. Nothing is lost.',
        },
      }),
      outages(),
      oldestTransaction(),
      card(
        { title: 'Checks of the console', meta: 'its own dependencies' },
        table({
          caption: 'Checks',
          columns: ['Check', 'State', 'Reason'],
          rows: seen.checks
            ?.toSorted((one, other) => Number(one.ok) - Number(other.ok))
            .map(({ name, ok, reason }) => [
              name,
              ok ? chip(['despatched', 'ok', 'OK']) : chip(['rejected', 'bad', 'Failing']),
              reason,
            ]),
        }),
      ),
    ),
  ]
}

function outages(): JSX.Element {
  if (!facts.value) return skeleton('Outages')
  return card(
    { title: 'Outages', meta: 'as the services report them' },
    table({
      caption: 'Outages',
      columns: ['Dependency', { name: 'Reported by', class: 'p2' }, 'Since', 'Reason'],
      rows: outagesNow()?.map(({ dependency, services, since, reason }) => [
        dependency,
        services.join(', '),
        time(since),
        reason,
      ]),
      empty: 'None: every service reaches its database, object store, queue and virus scanner.',
    }),
  )
}

function oldestTransaction(): JSX.Element {
  const figures = facts.value?.figures
  if (!facts.value) return skeleton('Oldest transaction')
  return card(
    { title: 'Oldest transaction', meta: 'of the database' },
    table({
      caption: 'Oldest transaction',
      columns: ['Application', 'Open since'],
      rows:
        figures &&
        [figures.oldestTransaction]
          .filter((open) => open !== null)
          .map(({ application, since }) => [application || 'without a name', time(since)]),
      empty: 'None is open.',
    }),
  )
}

start(HealthPage)
