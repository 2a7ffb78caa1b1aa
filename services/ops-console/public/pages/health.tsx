import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { Chip, type Look } from '../parts/chips.tsx'
import { Banner, Card, Head, Icon, Skeleton, Time } from '../parts/elements.tsx'
import { duration } from '../parts/format.ts'
import { type Facts, facts, type Health } from '../parts/live.ts'
import { announce } from '../parts/notice.ts'
import { pollMsMax, repeat } from '../parts/repeat.ts'
import { start } from '../parts/shell.tsx'
import { Table, TableCard } from '../parts/table.tsx'

const readEveryMs = 5_000
const frequentMsMax = 60_000
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

type Task = NonNullable<Facts['tasks']>[number]

/** Periodic tasks that fail, or are not run in time. */
function troubledTasks(): readonly Task[] {
  return (facts.value?.tasks ?? []).filter(({ state }) => state !== 'ok')
}

function sentenceOf({ checks }: Read): string {
  if (!checks) return 'Despatch does not respond.'
  const failing = checks.filter(({ ok }) => !ok).map(({ name }) => name)
  const away = (outagesNow() ?? []).map(
    ({ dependency, services }) => `${dependency} (reported by ${services.join(', ')})`,
  )
  const tasks = troubledTasks().map(({ name, service }) => `${name} (${service})`)
  return [
    failing.length > 0 && `Failing: ${failing.join(', ')}.`,
    away.length > 0 && `Unavailable: ${away.join(', ')}.`,
    tasks.length > 0 && `Periodic tasks that do not succeed: ${tasks.join(', ')}.`,
    failing.length + away.length + tasks.length === 0 &&
      'No check fails, no service reports an outage, and all periodic tasks succeed.',
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
  const isOutage = (outagesNow() ?? []).length > 0
  const isBad = !isReady || isOutage || troubledTasks().length > 0
  return (
    <>
      {heading}
      <div class="stack">
        <Banner
          tone={isBad ? 'bad' : undefined}
          line={
            <>
              <Chip look={stateOf({ isReady, isOutage, isBad })} isBig />
              <span class="meta">
                as of <Time at={seen.at} style="clock" />, answered in {seen.tookMs} ms
              </span>
            </>
          }
          say={sentenceOf(seen)}
          why={{
            'What happens next':
              isOutage &&
              'Letters wait, and continue when the dependency answers again. Nothing is lost.',
          }}
        />
        <Outages />
        <OldestTransaction />
        <Tasks />
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

type Told = { isReady: boolean; isOutage: boolean; isBad: boolean }

function stateOf({ isReady, isOutage, isBad }: Told): Look {
  if (!isReady) return ['rejected', 'bad', 'Not ready']
  if (isOutage) return ['alert', 'bad', 'Outage']
  return isBad ? ['alert', 'bad', 'Tasks fail'] : ['despatched', 'ok', 'Ready']
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

const taskLooks: Readonly<Record<Task['state'], Look>> = {
  ok: ['despatched', 'ok', 'OK'],
  failing: ['rejected', 'bad', 'Failing'],
  late: ['alert', 'bad', 'Late'],
  absent: ['alert', 'warn', 'Not running'],
}

function Tasks() {
  if (!facts.value) return <Skeleton title="Periodic tasks" />
  const troubled = troubledTasks()
  const tasks = facts.value.tasks && [
    ...troubled,
    ...facts.value.tasks.filter((task) => !troubled.includes(task)),
  ]
  return (
    <TableCard
      title="Periodic tasks"
      meta="what services do again and again; up to 15 s old"
      columns={[
        'Task',
        { name: 'Service', class: 'p2' },
        'State',
        'Last work',
        { name: 'Took', class: 'num p2' },
        'Next pass',
        'Last failure',
        { name: 'Process', class: 'p3' },
      ]}
      rows={tasks?.map((task) => [
        task.name,
        task.service,
        <Chip look={taskLooks[task.state]} />,
        <Time at={task.ranAt} style="relative" />,
        task.tookMs === null ? '–' : duration(task.tookMs),
        nextPass(task),
        task.error && (
          <>
            {task.error}, <Time at={task.failedAt} style="relative" />
          </>
        ),
        task.owner,
      ])}
      empty="None has been reported yet."
    />
  )
}

/** A frequent task has had several passes since it was reported. */
function nextPass({ beganAt, nextAt, everyMs }: Task) {
  if (beganAt) return 'under way'
  return everyMs < frequentMsMax ? `every ${duration(everyMs)}` : <Time at={nextAt} style="clock" />
}

start(HealthPage)
