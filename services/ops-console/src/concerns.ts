import type { Dependency } from '@despatch/domain/outage/unavailable-dependency'
import type { Lateness } from '@despatch/domain/print-job/lateness'
import type { QueueState } from '@despatch/queue/queues'
import type { DueToday } from './due-today.ts'
import { renderAge, renderCount, renderSince } from './pages/figures.ts'
import type { Printing } from './printing.ts'
import type { Figures } from './read-figures.ts'

/** A problem for operators: what is late, and what that usually means. */
export type Concern = {
  what: string
  why: string
  /** The page of the console with more details. */
  page?: string
  /** Letters are late or stand still because of it. */
  isUrgent?: boolean
}

const outboxLateSeconds = 15
const callbackLateSeconds = 60
const validatingLateSeconds = 300
const lettersLateSeconds = 600

/** Returns what is late or set aside. The list is empty if nothing requires a person. */
export function listConcerns(figures: Figures, now: Date): Concern[] {
  const { parked, work, outbox, callbacks, unavailableOrigins, printJobs, printing, outages } =
    figures
  const concerns: Concern[] = findOutages(figures, now)
  const validatingSeconds =
    printJobs.find(({ status }) => status === 'VALIDATING')?.oldestSeconds ?? 0
  if (parked.count > 0) {
    concerns.push({
      isUrgent: true,
      what: `Parked print jobs: ${renderCount(parked.count)}, the first ${renderAge(parked.oldestSeconds)} ago`,
      page: '/print-jobs?only=parked',
      why: 'A step failed repeatedly because of a fault of ours, which the page of each print job names. After you correct the fault, choose Retry there, or select many in the list. The list can also retry all that an outage parked.',
    })
  }
  if ((outbox.oldestSeconds ?? 0) > outboxLateSeconds) {
    concerns.push({
      what: `Wake-ups are overdue by ${renderAge(outbox.oldestSeconds)}`,
      why: 'The relay of the pipeline is not running, or the queue accepts nothing.',
    })
  }
  if (outbox.unknown > 0) {
    concerns.push({
      what: `Wake-ups of unknown queues: ${renderCount(outbox.unknown)}`,
      why: 'A newer release wrote them. They stay unchanged and are relayed when that release runs again.',
    })
  }
  if ((callbacks.lateSeconds ?? 0) > callbackLateSeconds) {
    concerns.push({
      isUrgent: true,
      what: `Callbacks are overdue by ${renderAge(callbacks.lateSeconds)}`,
      page: '/callbacks?status=DUE',
      why: 'The callbacks service is not running, or is overloaded.',
    })
  }
  // during an outage, the outage already explains the wait
  if (validatingSeconds > validatingLateSeconds && outages.length === 0) {
    concerns.push({
      what: `A print job has been in VALIDATING for ${renderAge(validatingSeconds)}`,
      page: '/print-jobs?status=VALIDATING',
      why: 'It fails and is retried, or the pipeline is overloaded.',
    })
  }
  const oldestWaiting = work.lanes.reduce((a, b) =>
    (b.oldestSeconds ?? 0) > (a.oldestSeconds ?? 0) ? b : a,
  )
  if ((oldestWaiting.oldestSeconds ?? 0) > lettersLateSeconds && outages.length === 0) {
    concerns.push({
      what: `Letters of the lane ${oldestWaiting.lane} have waited for ${renderAge(oldestWaiting.oldestSeconds)}`,
      page: '/queue-control',
      why: 'More letters arrive than the workers process, or the workers take no batches. The Queues page shows the batches.',
    })
  }
  if (unavailableOrigins.count > 0) {
    const { count, oldestSeconds } = unavailableOrigins
    const waiting =
      oldestSeconds === null ? '' : `, a callback has waited for ${renderAge(oldestSeconds)}`
    concerns.push({
      what: `Unavailable callback origins: ${renderCount(count)}${waiting}`,
      page: '/callbacks?status=DUE',
      why: 'Calls to these origins fail repeatedly, so only a probe is sent from time to time and the other callbacks wait. Delivery resumes automatically when the consumer responds. The Callbacks page shows which origins fail and how.',
    })
  }
  if (callbacks.deadLastDay > 0) {
    concerns.push({
      what: `Dead callbacks in the last day: ${renderCount(callbacks.deadLastDay)}`,
      page: '/callbacks?status=DEAD',
      why: 'The consumer refused them, or did not respond before the retry window ended. When the consumer has corrected this, send them again above their list.',
    })
  }
  return [...concerns, ...listPrintingConcerns(printing)]
}

const unavailable: Readonly<Record<Dependency, { name: string; waitsIn: readonly string[] }>> = {
  database: { name: 'Database', waitsIn: ['QUARANTINE', 'VALIDATING'] },
  'object-store': { name: 'Object store', waitsIn: ['QUARANTINE', 'VALIDATING'] },
  queue: { name: 'Queue', waitsIn: ['QUARANTINE', 'VALIDATING'] },
  'virus-scanner': { name: 'Virus scanner', waitsIn: ['QUARANTINE'] },
}

/** Returns one concern for each dependency that is away, however many letters wait for it. */
function findOutages({ outages, printJobs }: Figures, now: Date): Concern[] {
  return outages.map(({ dependency, since, services, reason }) => {
    const { name, waitsIn } = unavailable[dependency]
    const waiting = printJobs
      .filter(({ status }) => waitsIn.includes(status))
      .reduce((sum, { count }) => sum + count, 0)
    return {
      isUrgent: true,
      what: `${name} unavailable since ${renderSince(since, now)}, ${renderCount(waiting)} letters waiting`,
      page: `/print-jobs?status=${waitsIn[0]}`,
      why: `Reported by ${services.join(', ')}: ${reason}. Letters continue automatically when it is available again. They lose no attempts.`,
    }
  })
}

/** Returns the concerns with the urgent ones first. */
export function mostUrgentFirst(concerns: readonly Concern[]): Concern[] {
  return concerns.toSorted(
    (one, other) => Number(other.isUrgent ?? false) - Number(one.isUrgent ?? false),
  )
}

/** Returns a concern for each paused queue. A queue stays paused until an operator resumes it, also after a restart. */
export function listPausedQueues(
  queues: readonly Pick<QueueState, 'name' | 'isPaused' | 'waiting'>[],
): Concern[] {
  return queues
    .filter(({ isPaused }) => isPaused)
    .map(({ name, waiting }) => ({
      what: `The queue ${name} is paused: ${renderCount(waiting)} waiting`,
      page: '/queue-control',
      why: 'No tasks are taken from it until an operator resumes it. The Queues page shows who paused it, when and why.',
    }))
}

/** Returns the letters that are overdue or may miss their due date. */
export function listDueConcerns({
  letters,
  isMore,
}: Pick<DueToday, 'letters' | 'isMore'>): Concern[] {
  const countOf = (lateness: Lateness) =>
    `${renderCount(letters[lateness])}${isMore ? ' or more' : ''}`
  return [
    ...(letters.overdue > 0
      ? [
          {
            isUrgent: true,
            what: `Overdue letters: ${countOf('overdue')}`,
            page: '/print-jobs?only=overdue',
            why: 'Their due date is over, and no posting has reported them. The page of each says where it is.',
          },
        ]
      : []),
    ...(letters['at-risk'] > 0
      ? [
          {
            what: `Letters due today at risk: ${countOf('at-risk')}`,
            page: '/print-jobs?only=at-risk',
            why: 'They are parked, missed their cut-off, or their site cannot finish before the last collection.',
          },
        ]
      : []),
  ]
}

/** Each waits for a person, however many there are. */
const printingConcerns: readonly (Concern & { name: keyof Printing; page: string })[] = [
  {
    name: 'overdue',
    isUrgent: true,
    page: '/print-runs?state=RELEASED',
    what: 'Print runs not claimed by their despatch date',
    why: 'Their provider does not request its work. Reassign them to another site on the page of each.',
  },
  {
    name: 'unreleased',
    isUrgent: true,
    page: '/print-runs?state=OPEN',
    what: 'Print runs that cannot be released',
    why: 'Their cut-off has passed, and numbering their documents fails. The release is retried automatically, and other runs are released as usual. The page of each run names the fault.',
  },
  {
    name: 'unacknowledged',
    page: '/print-runs?state=CLAIMED',
    what: 'Claimed print runs with an expired lease',
    why: 'The provider may have lost the response, and is offered the same run again. Ask the provider, and reassign them only if nothing is printed.',
  },
  {
    name: 'refused',
    isUrgent: true,
    page: '/print-runs?state=REFUSED',
    what: 'Print runs refused by their provider',
    why: 'Nothing is printed. Reassign them to another site on the page of each, or recall their documents there.',
  },
  {
    name: 'reprints',
    page: '/print-runs',
    what: 'Reprints waiting for a second person',
    why: 'The provider needs more reprints than it may make without approval. Authorise or refuse them there.',
  },
  {
    name: 'unroutable',
    isUrgent: true,
    page: '/print-jobs?status=PENDING',
    what: 'Print jobs that no site can print',
    why: 'No enabled site has their paper, format or despatch method, or all such sites are full or absent. The Runs page shows the sites.',
  },
  {
    name: 'recalls',
    page: '/print-runs',
    what: 'Unanswered recalls',
    why: 'The provider has not reported whether it could stop the documents. Ask the provider, and settle the recalls there on its behalf.',
  },
]

function listPrintingConcerns(printing: Printing): Concern[] {
  return printingConcerns
    .filter(({ name }) => printing[name].count > 0)
    .map(({ name, what, ...concern }) => {
      const { count, oldestSeconds } = printing[name]
      return {
        what: `${what}: ${renderCount(count)}, the first for ${renderAge(oldestSeconds)}`,
        ...concern,
      }
    })
}
