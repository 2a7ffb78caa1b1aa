import type { AuditEventsResponse } from '@despatch/contracts/administration/audit-event'
import { signal } from '@preact/signals'
import { h, type JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { ask, ownQuery, withQuery } from '../parts/api.ts'
import { head, link, time } from '../parts/elements.ts'
import { count } from '../parts/format.ts'
import { beginPaging } from '../parts/paging.ts'
import { start } from '../parts/shell.ts'
import { table } from '../parts/table.ts'

type AuditEvent = AuditEventsResponse['auditEvents'][number]

const { consumerId } = ownQuery()
const events = beginPaging<AuditEventsResponse>(
  (cursor) => ask('GET', withQuery('/audit-events', { consumerId, cursor, limit: 100 })),
  ({ auditEvents }) => `Events shown: ${count(auditEvents.length)}.`,
)
const wanted = signal('')
/** A summary shows the beginning of each value, and opens to show all of it. */
const valueCharactersMax = 40
const nouns: Readonly<Record<string, string>> = {
  printJobKey: 'Letter',
  batchNumber: 'Run',
  bulkActionId: 'Bulk action',
  callbackId: 'Callback',
}

function AuditPage(): JSX.Element[] {
  useEffect(events.begin, [])
  return [
    ...head('Audit', {
      beside: h(
        'span',
        { class: 'meta' },
        consumerId ? 'Changes to one consumer' : 'Every change that a person or the system made',
      ),
      tools: consumerId && h('a', { class: 'btn', href: '/audit' }, 'All changes'),
    }),
    h(
      'form',
      {
        class: 'filters',
        'aria-label': 'Find events',
        onSubmit: (event: Event) => event.preventDefault(),
      },
      h('input', {
        class: 'filter-text',
        type: 'search',
        'aria-label': 'Words of an event on this page',
        placeholder: 'Words of an event on this page',
        value: wanted.value,
        onInput: (event: Event) => {
          wanted.value = (event.currentTarget as HTMLInputElement).value
        },
      }),
    ),
    list(),
  ]
}

function textOf({ action, actor, actorUserName, userName, detail }: AuditEvent): string {
  return [action, actorUserName ?? actor, userName, JSON.stringify(detail)].join(' ').toLowerCase()
}

function list(): JSX.Element {
  const answer = events.answer()
  if (!answer) return events.absent('Audit')
  const words = wanted.value.toLowerCase().split(/\s+/).filter(Boolean)
  const shown = answer.auditEvents.filter((event) =>
    words.every((word) => textOf(event).includes(word)),
  )
  return h(
    'section',
    { class: 'card', 'aria-label': 'Audit' },
    table({
      caption: 'Audit events, newest first',
      nameIndex: 1,
      columns: [
        { name: 'Time', class: 'nowrap' },
        'What',
        'Who',
        { name: 'Consumer', class: 'p2' },
        { name: 'Details', class: 'p2' },
      ],
      rows: shown.map((event) => [
        time(event.at),
        [
          event.action,
          subjectsOf(event),
          event.userName && h('span', { class: 'sub only-s' }, event.userName),
          h('span', { class: 'only-s' }, detailOf(event)),
        ],
        event.actorUserName ?? event.actor,
        event.consumerId &&
          link(
            withQuery('/consumers', { consumer: event.consumerId }),
            event.userName ?? event.consumerId,
          ),
        detailOf(event),
      ]),
      empty: 'No event on this page has these words. Try fewer, or an older page.',
    }),
    events.footer(),
  )
}

function detailOf({ detail }: AuditEvent): JSX.Element | null {
  const entries = Object.entries(detail)
  if (entries.length === 0) return null
  return h(
    'details',
    {},
    h('summary', {}, entries.map(([name, value]) => `${name}: ${inShort(value)}`).join(', ')),
    h(
      'pre',
      { tabIndex: 0 },
      entries.map(([name, value]) => `${name}: ${JSON.stringify(value)}`).join('\n'),
    ),
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
      ? [h('span', { class: 'sub' }, link(withQuery(path, { [name]: value }), nouns[member]!))]
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
