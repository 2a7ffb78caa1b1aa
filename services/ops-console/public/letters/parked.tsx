import type {
  ParkedPrintJobsResponse,
  RedrivenResponse,
} from '@despatch/contracts/administration/parked-operations'
import { actionPath } from '@despatch/domain/operator-action/operator-action'
import { redriveParked } from '@despatch/domain/operator-action/print-job-actions'
import { signal } from '@preact/signals'
import { ask, Refusal } from '../parts/api.ts'
import { Button, Card } from '../parts/elements.tsx'
import type { Given } from '../parts/form.tsx'
import { count, countOf } from '../parts/format.ts'
import { askFirst, questionOf } from '../parts/question.tsx'
import { whyNotForMe } from '../parts/session.ts'

const parked = signal<ParkedPrintJobsResponse | undefined>()

export async function readParked(): Promise<void> {
  parked.value = await ask<ParkedPrintJobsResponse>('GET', '/parked-print-jobs')
}

/** Returns the count of what an outage parked, and the button that redrives all of it. */
export function parkedByOutage() {
  const { count: number = 0, failures = [] } = parked.value ?? {}
  if (number === 0) return null
  const outages = failures.filter(({ isOutage }) => isOutage)
  const named = outages.map(({ failure, count: each }) => `${failure}: ${count(each)}`).join(', ')
  const whyNot = whyNotForMe(redriveParked.operationId)
  return (
    <Card
      title={`Parked by an outage, of all consumers: ${count(number)}`}
      class="below"
      right={
        whyNot ? (
          <span class="meta">{whyNot}</span>
        ) : (
          <Button onClick={() => redriveAll(number)} icon="redo">
            {redriveParked.label} {count(number)}…
          </Button>
        )
      }
      isPadded
    >
      <p>{named}</p>
    </Card>
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
      onSend: async (given, tell) => {
        const done = await redriveTillNoneIsLeft(given, tell)
        return { done: progressOf(done), again: readParked }
      },
    }),
  )
}

/** Each response says how many are left. One that redrives none is the last. A Refusal says what was done before it. */
async function redriveTillNoneIsLeft(
  given: Given,
  tell: (progress: string) => void,
): Promise<RedrivenResponse> {
  let sum: RedrivenResponse | undefined
  for (;;) {
    let answer: RedrivenResponse
    try {
      answer = await ask<RedrivenResponse>('POST', actionPath(redriveParked), given)
    } catch (error) {
      if (!sum || !(error instanceof Refusal)) throw error
      throw new Refusal(error.status, `${progressOf(sum)} Then: ${error.message}`)
    }
    sum = { redriven: (sum?.redriven ?? 0) + answer.redriven, left: answer.left }
    if (answer.left === 0 || answer.redriven === 0) return sum
    tell(progressOf(sum))
  }
}

function progressOf({ redriven, left }: RedrivenResponse): string {
  return `Retried: ${count(redriven)}. Still parked: ${count(left)}.`
}
