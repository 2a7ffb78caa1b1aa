import type {
  ParkedPrintJobsResponse,
  RedrivenResponse,
} from '@despatch/contracts/administration/parked-operations'
import { actionPath } from '@despatch/domain/operator-action/operator-action'
import { redriveParked } from '@despatch/domain/operator-action/print-job-actions'
import { signal } from '@preact/signals'
import { h, type JSX } from 'preact'
import { ask } from '../parts/api.ts'
import { body, button, card } from '../parts/elements.ts'
import { count, countOf } from '../parts/format.ts'
import { announce } from '../parts/notice.ts'
import { askFirst, questionOf } from '../parts/question.ts'
import { whyNotForMe } from '../parts/session.ts'

const parked = signal<ParkedPrintJobsResponse | undefined>()

export async function readParked(): Promise<void> {
  parked.value = await ask<ParkedPrintJobsResponse>('GET', '/parked-print-jobs')
}

/** Returns the count of what an outage parked, and the button that redrives all of it. */
export function parkedByOutage(): JSX.Element | null {
  const { count: number = 0, failures = [] } = parked.value ?? {}
  if (number === 0) return null
  const outages = failures.filter(({ isOutage }) => isOutage)
  const named = outages.map(({ failure, count: each }) => `${failure}: ${count(each)}`).join(', ')
  const whyNot = whyNotForMe(redriveParked.operationId)
  return card(
    {
      title: `Parked by an outage, of all consumers: ${count(number)}`,
      class: 'below',
      right: whyNot
        ? h('span', { class: 'meta' }, whyNot)
        : button(`${redriveParked.label} ${count(number)}…`, () => redriveAll(number), {
            icon: 'redo',
          }),
    },
    body(h('p', {}, named)),
  )
}

function redriveAll(number: number): void {
  askFirst(
    questionOf(redriveParked, {
      title: `Retry all ${countOf(number, 'letter')} that an outage parked?`,
      button: `${redriveParked.label} ${count(number)}`,
      points: [
        'They are those of all consumers, whatever the filter of the list is.',
        'About 100 are retried per second. Letters that another fault parked stay parked.',
      ],
      onSend: async (given) => {
        const redrive = () => ask<RedrivenResponse>('POST', actionPath(redriveParked), given)
        const first = await redrive()
        return { done: progressOf(first), again: () => redriveTheRest(first, redrive) }
      },
    }),
  )
}

/** Each response says how many are left. One that redrives none is the last. */
async function redriveTheRest(
  first: RedrivenResponse,
  redrive: () => Promise<RedrivenResponse>,
): Promise<void> {
  let { redriven, left } = first
  for (let newly = redriven; left > 0 && newly > 0; ) {
    const answer = await redrive()
    newly = answer.redriven
    redriven += newly
    left = answer.left
    announce(progressOf({ redriven, left }))
  }
  await readParked()
}

function progressOf({ redriven, left }: RedrivenResponse): string {
  return `Retried: ${count(redriven)}. Still parked: ${count(left)}.`
}
