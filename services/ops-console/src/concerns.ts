import type { Overview } from '@despatch/store/overview'
import { renderAge, renderCount } from './pages/figures.ts'

/** Something that operations should look at: what is late, and what that usually means. */
export type Concern = { what: string; why: string }

const outboxLateSeconds = 15
const callbackLateSeconds = 60
const validatingLateSeconds = 300

/** Finds what is late or set aside. Empty: nothing needs a person. */
export function findConcerns({ parked, outbox, callbacks, printJobs }: Overview): Concern[] {
  const concerns: Concern[] = []
  const validatingSeconds =
    printJobs.find(({ status }) => status === 'VALIDATING')?.oldestSeconds ?? 0
  if (parked.count > 0) {
    concerns.push({
      what: `Parked print jobs: ${renderCount(parked.count)}, the first ${renderAge(parked.oldestSeconds)} ago`,
      why: 'A step failed again and again through a fault of ours. The list of failing steps says which.',
    })
  }
  if ((outbox.oldestSeconds ?? 0) > outboxLateSeconds) {
    concerns.push({
      what: `Wake-ups are ${renderAge(outbox.oldestSeconds)} late`,
      why: 'The relay of the pipeline does not run, or the queue takes nothing.',
    })
  }
  if ((callbacks.lateSeconds ?? 0) > callbackLateSeconds) {
    concerns.push({
      what: `Callbacks are ${renderAge(callbacks.lateSeconds)} late`,
      why: 'The callbacks service does not run, or has more to deliver than it can.',
    })
  }
  if (validatingSeconds > validatingLateSeconds) {
    concerns.push({
      what: `A print job has been in VALIDATING for ${renderAge(validatingSeconds)}`,
      why: 'It fails and is retried, or the pipeline has more to do than it can.',
    })
  }
  if (callbacks.abandonedLastDay > 0) {
    concerns.push({
      what: `Callbacks given up in the last day: ${renderCount(callbacks.abandonedLastDay)}`,
      why: 'The consumer refused them, or did not answer until the window ended.',
    })
  }
  return concerns
}
