import type { AuditEventsResponse } from '@despatch/contracts/administration/audit-event'
import { auditActions, systemActors } from '@despatch/domain/access/audit-actions'
import { signal } from '@preact/signals'
import type { ComponentChildren, JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { ask, given, ownQuery, withQuery } from '../parts/api.ts'
import { attempt } from '../parts/attempt.ts'
import { type Consumer, readConsumers } from '../parts/consumers.ts'
import { Head, Time } from '../parts/elements.tsx'
import { fieldsOf } from '../parts/form.tsx'
import { count, countOf, dateIn, dayName } from '../parts/format.ts'
import { beginPaging } from '../parts/paging.tsx'
import { DayField, Pill } from '../parts/pill.tsx'
import { start } from '../parts/shell.tsx'
import { Table } from '../parts/table.tsx'

type AuditEvent = AuditEventsResponse['auditEvents'][number]

type Filter = {
  [Name in 'actor' | 'action' | 'about' | 'consumerId' | 'from' | 'to']?: string
}

const { actor, action, about, consumerId, from, to } = ownQuery()
const filter = signal<Filter>(
  given({ actor, action, about, consumerId, from: dateIn(from), to: dateIn(to) }),
)
const users = signal<readonly Consumer[]>([])
const events = beginPaging<AuditEventsResponse>(
  (cursor) => ask('GET', withQuery('/audit-events', { ...filter.value, cursor, limit: 100 })),
  ({ auditEvents }) => `Events shown: ${count(auditEvents.length)}.`,
)
const actions = auditActions.map((each) => [each, each] as const)
/** A summary shows the beginning of each value, and opens to show all of it. */
const valueCharactersMax = 40
const nouns: Readonly<Record<string, string>> = {
  printJobKey: 'Letter',
  batchNumber: 'Run',
  bulkActionId: 'Bulk action',
  callbackId: 'Callback',
}

function choose(changed: Filter): void {
  filter.value = given({ ...filter.value, ...changed })
  history.replaceState(null, '', withQuery('/audit', filter.value))
  events.begin()
}

function AuditPage() {
  useEffect(() => {
    events.begin()
    void attempt(async () => {
      users.value = await readConsumers()
    })
  }, [])
  const isFiltered = Object.keys(filter.value).length > 0
  return (
    <>
      <Head
        title="Audit"
        beside={<span class="meta">Every change that a person or the system made</span>}
        tools={
          isFiltered && (
            <a class="btn" href="/audit">
              All changes
            </a>
          )
        }
      />
      {filters()}
      {list()}
    </>
  )
}

function filters() {
  const now = filter.value
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const { about, from, to } = fieldsOf(event.currentTarget as HTMLFormElement)
    choose({ about: about ?? '', from: from ?? '', to: to ?? '' })
  }
  return (
    <form class="filters" aria-label="Find events" onSubmit={submit}>
      <input
        class="filter-text"
        name="about"
        type="search"
        aria-label="Id of what an event is about"
        placeholder="Id of a letter, run, callback …"
        title={
          'The whole id of a letter, document, run, posting, reprint, recall, callback, bulk action, provider, site, ' +
          'contract, usage plan, record set, secret, signing key or queue'
        }
        maxLength={255}
        autoComplete="off"
        spellcheck={false}
        defaultValue={now.about ?? ''}
      />
      <DayField name="from" label="From" value={now.from} />
      <DayField name="to" label="To" value={now.to} />
      <button type="submit" class="btn small">
        Find
      </button>
      <Pill
        name="Who"
        value={now.actor ?? ''}
        options={actors()}
        onChange={(value) => choose({ actor: value })}
      />
      <Pill
        name="What"
        value={now.action ?? ''}
        options={actions}
        onChange={(value) => choose({ action: value })}
      />
      <Pill
        name="Consumer"
        value={now.consumerId ?? ''}
        options={users.value.map((user) => [user.consumerId, user.name])}
        onChange={(value) => choose({ consumerId: value })}
      />
      <p class="tally">{tally()}</p>
    </form>
  )
}

/** Returns who may have made a change: operators first, because they make most of them. */
function actors(): (readonly [actor: string, text: string])[] {
  const isOperator = ({ roles }: Consumer) => roles.includes('operator') || roles.includes('admin')
  const named = [
    ...users.value.filter(isOperator),
    ...users.value.filter((user) => !isOperator(user)),
  ]
  const providers = new Set(users.value.flatMap(({ providerId }) => providerId ?? []))
  return [
    ...named.map((user) => [`consumer:${user.consumerId}`, user.userName] as const),
    ...[...providers].sort().map((id) => [`provider:${id}`, `provider:${id}`] as const),
    ...systemActors.map((each) => [each, each] as const),
  ]
}

function tally(): (JSX.Element | string)[] | string {
  const answer = events.answer()
  if (!answer) return ''
  const number = answer.auditEvents.length
  const shown = <b>{countOf(number, 'event')}</b>
  if (events.hasOthers()) return [shown, ' on this page']
  return [shown, number === 1 ? ' matches' : ' match']
}

function list() {
  const answer = events.answer()
  if (!answer) return events.absent('Audit')
  return (
    <section class="card" aria-label="Audit">
      <Table
        caption="Audit events, newest first"
        nameIndex={1}
        columns={[
          { name: 'Time', class: 'nowrap' },
          'What',
          'Who',
          { name: 'Consumer', class: 'p2' },
          { name: 'Details', class: 'p2' },
        ]}
        rows={answer.auditEvents.map((event) => [
          timeOf(event),
          [
            <span class="event-name">{event.action}</span>,
            subjectsOf(event),
            event.userName && <span class="sub only-s">{event.userName}</span>,
            <span class="only-s">{detailOf(event)}</span>,
          ],
          event.actorUserName ?? event.actor,
          event.consumerId && (
            <a href={withQuery('/consumers', { consumer: event.consumerId })}>
              {event.userName ?? event.consumerId}
            </a>
          ),
          detailOf(event),
        ])}
        empty={
          answer.nextCursor
            ? 'No event of this page matches. Choose Older to search further.'
            : 'No event matches. Choose other filters or days.'
        }
      />
      {events.footer()}
    </section>
  )
}

/** The seconds show the order of what happened in a minute. */
function timeOf({ at }: AuditEvent): ComponentChildren[] {
  const isToday = dayName(at) === dayName(new Date().toISOString())
  return [<Time at={at} style="clock" />, !isToday && <span class="sub">{dayName(at)}</span>]
}

function detailOf({ detail }: AuditEvent) {
  const entries = Object.entries(detail)
  if (entries.length === 0) return null
  return (
    <details class="event">
      <summary>{entries.map(([name, value]) => `${name}: ${inShort(value)}`).join(', ')}</summary>
      <pre tabIndex={0}>
        {entries.map(([name, value]) => `${name}: ${JSON.stringify(value)}`).join('\n')}
      </pre>
    </details>
  )
}

function inShort(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length <= valueCharactersMax ? text : `${text.slice(0, valueCharactersMax)}…`
}

/** Returns links to the pages of what an event is about. */
function subjectsOf({ detail }: AuditEvent): JSX.Element[] {
  const linkTo = (name: string, path: string, member: string) => {
    const value = detail[member]
    return typeof value === 'string'
      ? [
          <span class="sub">
            <a href={withQuery(path, { [name]: value })}>{nouns[member]!}</a>
          </span>,
        ]
      : []
  }
  return [
    ...linkTo('key', '/print-job', 'printJobKey'),
    ...linkTo('run', '/print-runs', 'batchNumber'),
    ...linkTo('bulk', '/bulk-actions', 'bulkActionId'),
    ...linkTo('callback', '/callbacks', 'callbackId'),
  ]
}

start(AuditPage)
