import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { Chip, type Look } from '../parts/chips.tsx'
import { Banner, Card, Head, Icon, Skeleton, Time } from '../parts/elements.tsx'
import { type Facts, facts, type Health } from '../parts/live.ts'
import { announce } from '../parts/notice.ts'
import { pollMsMax, repeat } from '../parts/repeat.ts'
import { start } from '../parts/shell.tsx'
import { Table, TableCard } from '../parts/table.tsx'

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

function HealthPage() {
  useEffect(() => repeat(read, readEveryMs), [])
  const seen = health.value
  const heading = (
    <Head
      title="Health"
      tools={
        <a class="btn" href="/health/ready">
          <Icon name="ext" />
          As JSON
        </a>
      }
    />
  )
  if (!seen) {
    return (
      <>
        {heading}
        <Skeleton title="Checks" />
      </>
    )
  }
  const failing = seen.checks?.filter(({ ok }) => !ok) ?? []
  const isReady = seen.checks !== null && failing.length === 0
  const isBad = !isReady || (outagesNow() ?? []).length > 0
  return (
    <>
      {heading}
      <div class="stack">
        <Banner
          tone={isBad ? 'bad' : undefined}
          line={
            <>
              <Chip look={stateOf({ isReady, isBad })} isBig />
              <span class="meta">
                as of <Time at={seen.at} style="clock" />, answered in {seen.tookMs} ms
              </span>
            </>
          }
          say={sentenceOf(seen)}
          why={{
            'What happens next':
              isBad &&
              'Letters wait, and continue when the dependency answers again. Nothing is lost.',
          }}
        />
        <Outages />
        <OldestTransaction />
        <Card title="Checks of the console" meta="its own dependencies">
          <Table
            caption="Checks"
            columns={['Check', 'State', 'Reason']}
            rows={seen.checks
              ?.toSorted((one, other) => Number(one.ok) - Number(other.ok))
              .map(({ name, ok, reason }) => [
                name,
                <Chip look={ok ? ['despatched', 'ok', 'OK'] : ['rejected', 'bad', 'Failing']} />,
                reason,
              ])}
          />
        </Card>
      </div>
    </>
  )
}

function stateOf({ isReady, isBad }: { isReady: boolean; isBad: boolean }): Look {
  if (!isReady) return ['rejected', 'bad', 'Not ready']
  return isBad ? ['alert', 'bad', 'Outage'] : ['despatched', 'ok', 'Ready']
}

function Outages() {
  if (!facts.value) return <Skeleton title="Outages" />
  return (
    <TableCard
      title="Outages"
      meta="as the services report them"
      columns={['Dependency', { name: 'Reported by', class: 'p2' }, 'Since', 'Reason']}
      rows={outagesNow()?.map(({ dependency, services, since, reason }) => [
        dependency,
        services.join(', '),
        <Time at={since} />,
        reason,
      ])}
      empty="None: every service reaches its database, object store, queue and virus scanner."
    />
  )
}

function OldestTransaction() {
  const figures = facts.value?.figures
  if (!facts.value) return <Skeleton title="Oldest transaction" />
  return (
    <TableCard
      title="Oldest transaction"
      meta="of the database"
      columns={['Application', 'Open since']}
      rows={
        figures &&
        [figures.oldestTransaction]
          .filter((open) => open !== null)
          .map(({ application, since }) => [application || 'without a name', <Time at={since} />])
      }
      empty="None is open."
    />
  )
}

start(HealthPage)
