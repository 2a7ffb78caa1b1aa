import { h, type JSX } from 'preact'
import { withQuery } from '../parts/api.ts'
import { icon } from '../parts/elements.ts'
import { count } from '../parts/format.ts'

const name = 'despatch-letters'

/** Remembers in this tab which letters a list shows, so that the page of one leads to the others. */
export function keepOrder(letters: readonly { printJobKey: string }[]): void {
  sessionStorage.setItem(name, JSON.stringify(letters.map(({ printJobKey }) => printJobKey)))
}

/** Returns the links to the letters before and after this one in the list that was shown last, if it is of that list. */
export function neighboursOf({ printJobKey }: { printJobKey: string }): JSX.Element | null {
  const order = keptOrder()
  const index = order.indexOf(printJobKey)
  if (index < 0 || order.length < 2) return null
  return h(
    'nav',
    { class: 'neighbours', 'aria-label': 'Letters of the list' },
    stepTo(order[index - 1], 'prev'),
    h('span', { class: 'meta' }, `${count(index + 1)} of ${count(order.length)}`),
    stepTo(order[index + 1], 'next'),
  )
}

function stepTo(key: string | undefined, rel: 'prev' | 'next'): JSX.Element | null {
  if (key === undefined) return null
  const label = rel === 'next' ? 'Next letter' : 'Previous letter'
  return h(
    'a',
    {
      class: `btn small ${rel}`,
      rel,
      href: withQuery('/print-job', { key }),
      'aria-label': label,
      title: `${label} (${rel === 'next' ? 'J' : 'K'})`,
    },
    icon('chev'),
  )
}

function keptOrder(): readonly string[] {
  const kept: unknown = JSON.parse(sessionStorage.getItem(name) ?? '[]')
  return Array.isArray(kept) ? kept : []
}
