import type { ConsumersResponse } from '@despatch/contracts/administration/consumer'
import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { ask, withQuery } from '../parts/api.ts'
import { Chip } from '../parts/chips.tsx'
import { findConsumers, readAllConsumers } from '../parts/consumers.ts'
import { Head } from '../parts/elements.tsx'
import { count } from '../parts/format.ts'
import { beginPaging } from '../parts/paging.tsx'
import { Table } from '../parts/table.tsx'
import { expiresSoon, expiry } from './expiry.tsx'

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
export function ConsumersPage() {
  useEffect(listed.begin, [])
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget as HTMLFormElement)
    term.value = String(form.get('term')).trim()
    listed.begin()
  }
  const filters = (
    <form class="filters" aria-label="Find a consumer" onSubmit={submit}>
      <input
        class="filter-text"
        name="term"
        aria-label="Name or user name"
        placeholder="Name or user name"
        title="A part is enough. Leave empty for all"
        autoComplete="off"
      />
      <button type="submit" class="btn small">
        Show
      </button>
    </form>
  )
  return (
    <>
      <Head title="Consumers" />
      {filters}
      {list()}
    </>
  )
}

function list() {
  const answer = listed.answer()
  if (!answer) return listed.absent('Consumers')
  return (
    <section class="card" aria-label="Consumers">
      <Table
        caption="Consumers"
        columns={[
          'Consumer',
          { name: 'Roles', class: 'p2' },
          { name: 'Plan', class: 'p2' },
          { name: 'Password', class: 'p2' },
          { name: 'API key', class: 'p2' },
          'State',
        ]}
        rows={answer.consumers.map((consumer) => [
          [
            <a href={withQuery('/consumers', { consumer: consumer.consumerId })}>
              {consumer.name}
            </a>,
            <span class="sub mono">{consumer.userName}</span>,
            expiresSoon(consumer) && <span class="sub only-s warn">Credentials expire soon</span>,
          ],
          consumer.roles.join(', '),
          consumer.usagePlan,
          expiry(consumer.passwordExpiry),
          expiry(consumer.apiKeyExpiry),
          <Chip
            look={
              consumer.disabledAt
                ? ['deleted', 'warn', 'Disabled']
                : ['despatched', 'ok', 'May call']
            }
          />,
        ])}
        empty="No consumer has this in its name or user name. Leave the field empty for all."
      />
      {listed.footer({ order: 'by user name', back: 'Previous', onward: 'Next' })}
    </section>
  )
}
