import { withQuery } from '../parts/api.ts'
import { Icon } from '../parts/elements.tsx'
import { count } from '../parts/format.ts'

const name = 'despatch-letters'

/** The letters that a list shows, and the query of its address. */
type Kept = { order: readonly string[]; query: string }

/**
 * Remembers in this tab which letters a list shows and where, so that the page of one leads to the others and back. A
 * search term that is in no address is not remembered.
 */
export function keepOrder(letters: readonly { printJobKey: string }[]): void {
  const order = letters.map(({ printJobKey }) => printJobKey)
  sessionStorage.setItem(name, JSON.stringify({ order, query: location.search } satisfies Kept))
}

/** Returns the address of the list that was shown last if this letter is of that list, and otherwise of all letters. */
export function listOf(printJobKey: string): string {
  const { order, query } = kept()
  return order.includes(printJobKey) ? `/print-jobs${query}` : '/print-jobs'
}

/** Returns the links to the letters before and after this one in the list that was shown last, if it is of that list. */
export function neighboursOf({ printJobKey }: { printJobKey: string }) {
  const { order } = kept()
  const index = order.indexOf(printJobKey)
  if (index < 0 || order.length < 2) return null
  return (
    <nav class="neighbours" aria-label="Letters of the list">
      {stepTo(order[index - 1], 'prev')}
      <span class="meta">
        {count(index + 1)} of {count(order.length)} on this page
      </span>
      {stepTo(order[index + 1], 'next')}
    </nav>
  )
}

function stepTo(key: string | undefined, rel: 'prev' | 'next') {
  if (key === undefined) return null
  const label = rel === 'next' ? 'Next letter' : 'Previous letter'
  return (
    <a
      class={`btn small ${rel}`}
      rel={rel}
      href={withQuery('/print-job', { key })}
      aria-label={label}
      title={`${label} (${rel === 'next' ? 'J' : 'K'})`}
    >
      <Icon name="chev" />
    </a>
  )
}

function kept(): Kept {
  const none = { order: [], query: '' }
  const { order, query }: Partial<Kept> = JSON.parse(sessionStorage.getItem(name) ?? '{}')
  return Array.isArray(order) && typeof query === 'string' ? { order, query } : none
}
