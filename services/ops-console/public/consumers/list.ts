import type { ConsumersResponse } from '@despatch/contracts/administration/consumer'
import { signal } from '@preact/signals'
import { h, type JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { ask, withQuery } from '../parts/api.ts'
import { chip } from '../parts/chips.ts'
import { findConsumers, readAllConsumers } from '../parts/consumers.ts'
import { head, link } from '../parts/elements.ts'
import { count } from '../parts/format.ts'
import { beginPaging } from '../parts/paging.ts'
import { table } from '../parts/table.ts'
import { expiresSoon, expiry } from './expiry.ts'

const term = signal('')
const listed = beginPaging<ConsumersResponse>(
  readPage,
  ({ consumers }) => `Consumers shown: ${count(consumers.length)}.`,
)

/** Without a term, the list is read page by page. With one, all that match are one page. */
async function readPage(cursor: string | undefined): Promise<ConsumersResponse> {
  if (!term.value) return ask('GET', withQuery('/consumers', { cursor }))
  return { consumers: [...findConsumers(term.value, await readAllConsumers())] }
}

/** All who may call Despatch, by name, with what expires soon. */
export function ConsumersPage(): JSX.Element[] {
  useEffect(listed.begin, [])
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget as HTMLFormElement)
    term.value = String(form.get('term')).trim()
    listed.begin()
  }
  const filters = h(
    'form',
    { class: 'filters', 'aria-label': 'Find a consumer', onSubmit: submit },
    h('input', {
      class: 'filter-text',
      name: 'term',
      'aria-label': 'Name or user name',
      placeholder: 'Name or user name',
      title: 'A part is enough. Leave empty for all',
      autoComplete: 'off',
    }),
    h('button', { type: 'submit', class: 'btn small' }, 'Show'),
  )
  return [...head('Consumers'), filters, list()]
}

function list(): JSX.Element {
  const answer = listed.answer()
  if (!answer) return listed.absent('Consumers')
  return h(
    'section',
    { class: 'card', 'aria-label': 'Consumers' },
    table({
      caption: 'Consumers',
      columns: [
        'Consumer',
        { name: 'Roles', class: 'p2' },
        { name: 'Plan', class: 'p2' },
        { name: 'Password', class: 'p2' },
        { name: 'API key', class: 'p2' },
        'State',
      ],
      rows: answer.consumers.map((consumer) => [
        [
          link(withQuery('/consumers', { consumer: consumer.consumerId }), consumer.name),
          h('span', { class: 'sub mono' }, consumer.userName),
          expiresSoon(consumer) &&
            h('span', { class: 'sub only-s warn' }, 'Credentials expire soon'),
        ],
        consumer.roles.join(', '),
        consumer.usagePlan,
        expiry(consumer.passwordExpiry),
        expiry(consumer.apiKeyExpiry),
        consumer.disabledAt
          ? chip(['deleted', 'warn', 'Disabled'])
          : chip(['despatched', 'ok', 'May call']),
      ]),
      empty: 'No consumer has this in its name or user name. Leave the field empty for all.',
    }),
    listed.footer({ order: 'by user name', back: 'Previous', onward: 'Next' }),
  )
}
