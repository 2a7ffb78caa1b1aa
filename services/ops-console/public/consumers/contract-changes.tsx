import type { contractChangesSchema } from '@despatch/contracts/administration/contract-change'
import { signal } from '@preact/signals'
import type { output } from 'zod'
import { ask, withQuery } from '../parts/api.ts'
import { attempt } from '../parts/attempt.ts'
import { Button, Time } from '../parts/elements.tsx'
import { TableCard } from '../parts/table.tsx'
import { Diff } from './diff.tsx'

type Changes = output<typeof contractChangesSchema>

const shownMax = 10
const effects = { create: 'Created', change: 'Changed', retire: 'Retired' } as const
const read = signal<Changes | undefined>()

/** Reads the newest changes, or the page after them. */
export async function readContractChanges(path: string, cursor?: string): Promise<void> {
  read.value = await ask('GET', withQuery(`${path}/contract-changes`, { limit: shownMax, cursor }))
}

/** The changes of contracts, newest first: who changed what. Nothing if there are none. */
export function ContractChanges({ path }: { path: string }) {
  const { contractChanges = [], nextCursor } = read.value ?? {}
  if (contractChanges.length === 0) return null
  return (
    <TableCard
      title="Changes of contracts"
      meta="newest first"
      footer={
        nextCursor && (
          <Button
            onClick={() => void attempt(() => readContractChanges(path, nextCursor))}
            look="small"
          >
            Older changes
          </Button>
        )
      }
      columns={['Contract', 'Change', { name: 'By', class: 'p2' }, { name: 'Time', class: 'num' }]}
      rows={contractChanges.map(({ jobType, templateReference, effect, changes, ...change }) => [
        `${jobType} / ${templateReference}`,
        [effects[effect], effect === 'change' && <Diff changes={changes} />],
        change.actorUserName ?? change.actor,
        <Time at={change.at} />,
      ])}
    />
  )
}
