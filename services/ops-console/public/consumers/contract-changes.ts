import type { contractChangesSchema } from '@despatch/contracts/administration/contract-change'
import { signal } from '@preact/signals'
import type { JSX } from 'preact'
import type { output } from 'zod'
import { ask, withQuery } from '../parts/api.ts'
import { attempt } from '../parts/attempt.ts'
import { button, card, time } from '../parts/elements.ts'
import { table } from '../parts/table.ts'
import { diff } from './diff.ts'

type Changes = output<typeof contractChangesSchema>

const shownMax = 10
const effects = { create: 'Created', change: 'Changed', retire: 'Retired' } as const
const read = signal<Changes | undefined>()

/** Reads the newest changes, or the page after them. */
export async function readContractChanges(path: string, cursor?: string): Promise<void> {
  read.value = await ask('GET', withQuery(`${path}/contract-changes`, { limit: shownMax, cursor }))
}

/** Returns the changes of contracts, newest first: who changed what. Nothing if there are none. */
export function contractChangesCard(path: string): JSX.Element | null {
  const { contractChanges = [], nextCursor } = read.value ?? {}
  if (contractChanges.length === 0) return null
  return card(
    {
      title: 'Changes of contracts',
      meta: 'newest first',
      footer:
        nextCursor &&
        button('Older changes', () => void attempt(() => readContractChanges(path, nextCursor)), {
          look: 'small',
        }),
    },
    table({
      caption: 'Changes of contracts',
      columns: ['Contract', 'Change', { name: 'By', class: 'p2' }, { name: 'Time', class: 'num' }],
      rows: contractChanges.map(({ jobType, templateReference, effect, changes, ...change }) => [
        `${jobType} / ${templateReference}`,
        [effects[effect], effect === 'change' && diff(changes)],
        change.actorUserName ?? change.actor,
        time(change.at),
      ]),
    }),
  )
}
