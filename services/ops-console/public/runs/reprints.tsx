import type {
  AllReprintsResponse,
  DecidedReprintResponse,
} from '@despatch/contracts/administration/reprint'
import { actionPath } from '@despatch/domain/operator-action/operator-action'
import { reprintActions } from '@despatch/domain/operator-action/reprint-actions'
import { signal } from '@preact/signals'
import type { JSX } from 'preact'
import { ask, withQuery } from '../parts/api.ts'
import { Button, Time } from '../parts/elements.tsx'
import { count } from '../parts/format.ts'
import { askFirst, irreversible, questionOf } from '../parts/question.tsx'
import { whyNotForMe } from '../parts/session.ts'
import { TableCard } from '../parts/table.tsx'

type Reprint = DecidedReprintResponse

const waiting = signal<readonly Reprint[] | undefined>()
/** Why no second person is required. Undefined if one is. */
const secondPersonOff = signal<string | undefined>()

export async function readReprints(): Promise<void> {
  const answer = await ask<AllReprintsResponse>('GET', '/reprints?state=WAITING')
  waiting.value = answer.reprints
  secondPersonOff.value = answer.secondPersonOff
}

/** The reprints that wait for a person: of one run, or of all. Nothing if there are none. */
export function WaitingReprints({ batchNumber }: { batchNumber?: string }) {
  const reprints = waiting.value?.filter((each) => !batchNumber || each.batchNumber === batchNumber)
  if (!reprints || reprints.length === 0) return null
  const title = `Reprints waiting for a ${secondPersonOff.value ? 'decision' : 'second person'}`
  return (
    <TableCard
      title={title}
      meta={count(reprints.length)}
      footer={secondPersonOff.value}
      columns={[
        'Document',
        { name: 'Run', class: 'p2' },
        { name: 'Attempt', class: 'num p2' },
        'Why',
        { name: 'Asked by', class: 'p2' },
        { name: 'When', class: 'num p3' },
        { name: 'Decision', class: 'act wrap', isHidden: true },
      ]}
      rows={reprints.map((reprint) => [
        <a class="mono" href={withQuery('/print-jobs', { find: reprint.documentId })}>
          {reprint.documentId}
        </a>,
        <a class="mono" href={withQuery('/print-runs', { run: reprint.batchNumber })}>
          {reprint.batchNumber}
        </a>,
        String(reprint.attempt),
        [reprint.reasonCode, reprint.reason].filter(Boolean).join(': '),
        [reprint.requestedBy, <span class="sub">{reprint.providerId}</span>],
        <Time at={reprint.requestedAt} />,
        decisionOn(reprint),
      ])}
    />
  )
}

/** Returns the buttons that decide on a reprint, once it has been read. */
export function decisionOnReprint(reprintId: string): JSX.Element[] {
  const reprint = waiting.value?.find((each) => each.reprintId === reprintId)
  return reprint ? [<span>{decisionOn(reprint)}</span>] : []
}

function decisionOn(reprint: Reprint): JSX.Element | string {
  const { authorise, refuse } = reprintActions
  const { documentId, reprintId } = reprint
  const whyNot = whyNotForMe(authorise.operationId)
  if (whyNot) return whyNot
  const authorising = () =>
    askFirst(
      questionOf(authorise, {
        title: `Authorise 1 reprint of ${documentId}?`,
        button: 'Authorise 1 reprint',
        onSend: async () => {
          await ask('POST', actionPath(authorise, reprintId))
          return { done: `The reprint of ${documentId} is authorised.`, again: readReprints }
        },
      }),
    )
  const refusing = () =>
    askFirst(
      questionOf(refuse, {
        title: `Refuse the reprint of ${documentId} and reject 1 letter?`,
        button: 'Refuse and reject 1 letter',
        isDanger: true,
        points: [irreversible],
        onSend: async (given) => {
          await ask('POST', actionPath(refuse, reprintId), given)
          const done = `The reprint of ${documentId} is refused. Its letter is rejected.`
          return { done, again: readReprints }
        },
      }),
    )
  return (
    <span>
      <Button onClick={authorising} look="small" name={`Authorise the reprint of ${documentId}…`}>
        Authorise…
      </Button>{' '}
      <Button onClick={refusing} look="small quiet" name={`Refuse the reprint of ${documentId}…`}>
        Refuse…
      </Button>
    </span>
  )
}
