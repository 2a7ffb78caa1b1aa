import type { Dependency } from '@despatch/domain/outage/unavailable-dependency'
import type { QueueState } from '@despatch/queue/queues'
import { renderAge, renderCount, renderSince } from './pages/figures.ts'
import type { Printing } from './printing.ts'
import type { Figures } from './read-figures.ts'

/** A problem for operators: what is late, and what that usually means. */
export type Concern = {
  what: string
  why: string
  /** The page of the console with more details. */
  page?: string
}

const outboxLateSeconds = 15
const callbackLateSeconds = 60
const validatingLateSeconds = 300

/** Returns what is late or set aside. The list is empty if nothing requires a person. */
export function findConcerns(figures: Figures, now: Date): Concern[] {
  const { parked, outbox, callbacks, shutOrigins, printJobs, printing, outages } = figures
  const concerns: Concern[] = findOutages(figures, now)
  const validatingSeconds =
    printJobs.find(({ status }) => status === 'VALIDATING')?.oldestSeconds ?? 0
  if (parked.count > 0) {
    concerns.push({
      what: `Parked print jobs: ${renderCount(parked.count)}, the first ${renderAge(parked.oldestSeconds)} ago`,
      page: '/print-jobs?only=parked',
      why: 'A step failed again and again through a fault of ours, which their pages name. Once that is put right: Try again there, or all of them with Plan bulk action. Find redrives all that an outage parked.',
    })
  }
  if ((outbox.oldestSeconds ?? 0) > outboxLateSeconds) {
    concerns.push({
      what: `Wake-ups are ${renderAge(outbox.oldestSeconds)} late`,
      why: 'The relay of the pipeline does not run, or the queue takes nothing.',
    })
  }
  if (outbox.unknown > 0) {
    concerns.push({
      what: `Wake-ups of queues that this release does not know: ${renderCount(outbox.unknown)}`,
      why: 'A later release wrote them. They are left as they are, and carried once that release runs again.',
    })
  }
  if ((callbacks.lateSeconds ?? 0) > callbackLateSeconds) {
    concerns.push({
      what: `Callbacks are ${renderAge(callbacks.lateSeconds)} late`,
      page: '/callbacks?status=DUE',
      why: 'The callbacks service does not run, or has more to deliver than it can.',
    })
  }
  // during an outage, the outage already explains the wait
  if (validatingSeconds > validatingLateSeconds && outages.length === 0) {
    concerns.push({
      what: `A print job has been in VALIDATING for ${renderAge(validatingSeconds)}`,
      page: '/print-jobs?status=VALIDATING',
      why: 'It fails and is retried, or the pipeline has more to do than it can.',
    })
  }
  if (shutOrigins.count > 0) {
    const { count, oldestSeconds } = shutOrigins
    const waiting =
      oldestSeconds === null ? '' : `, a callback waits for ${renderAge(oldestSeconds)}`
    concerns.push({
      what: `Places that callbacks do not get through to: ${renderCount(count)}${waiting}`,
      page: '/callbacks?status=DUE',
      why: 'Calls fail there one after the other, so one is tried now and then and the others wait. It goes on by itself once the consumer answers. Callbacks says where calls fail and how.',
    })
  }
  if (callbacks.deadLastDay > 0) {
    concerns.push({
      what: `Callbacks given up in the last day: ${renderCount(callbacks.deadLastDay)}`,
      page: '/callbacks?status=DEAD',
      why: 'The consumer refused them, or did not answer until the window ended. Once that is put right: Count those to send again, below their list (or despatch callbacks replay-many).',
    })
  }
  return [...concerns, ...findPrintingConcerns(printing)]
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
      what: `${name} unavailable since ${renderSince(since, now)}, ${renderCount(waiting)} letters waiting`,
      page: `/print-jobs?status=${waitsIn[0]}`,
      why: `Seen by ${services.join(', ')}: ${reason}. Letters go on by themselves when it is back. None of them uses up an attempt.`,
    }
  })
}

/** Returns a concern for each paused queue. A queue stays paused until an operator resumes it, also after a restart. */
export function findPausedQueues(
  queues: readonly Pick<QueueState, 'name' | 'isPaused' | 'waiting'>[],
): Concern[] {
  return queues
    .filter(({ isPaused }) => isPaused)
    .map(({ name, waiting }) => ({
      what: `The queue ${name} is paused: ${renderCount(waiting)} wait`,
      page: '/queue-control',
      why: 'Nothing is taken from it until somebody resumes it. Queues says since when, and who paused it.',
    }))
}

/** Each waits for a person, however many there are. */
const printingConcerns: readonly (Concern & { name: keyof Printing; page: string })[] = [
  {
    name: 'overdue',
    page: '/print-runs?state=RELEASED',
    what: 'Print runs that nobody claimed by the day of their despatch',
    why: 'Their provider does not ask for its work. Move them to another site on the page of each (or despatch runs move).',
  },
  {
    name: 'unreleased',
    page: '/print-runs?state=OPEN',
    what: 'Print runs that cannot be released',
    why: 'Their cut-off is over, and numbering their documents fails. It is retried by itself, and other runs are released meanwhile. The page of each names the fault.',
  },
  {
    name: 'unacknowledged',
    page: '/print-runs?state=CLAIMED',
    what: 'Claimed print runs whose lease ran out',
    why: 'Their provider may have lost the answer, and is given the same run again. Ask it, and move them only if nothing is printed.',
  },
  {
    name: 'refused',
    page: '/print-runs?state=REFUSED',
    what: 'Print runs that their provider refused',
    why: 'None of it is printed. Move them to another site on the page of each, or recall their documents there.',
  },
  {
    name: 'reprints',
    page: '/print-runs',
    what: 'Reprints that wait for a second person',
    why: 'More were spoiled than the provider may print again by itself. Authorise or refuse them there (or despatch reprints list).',
  },
  {
    name: 'unroutable',
    page: '/print-jobs?status=PENDING',
    what: 'Print jobs that no site can take',
    why: 'No enabled site has their paper, format or despatch method, or all of them are full or away. Only the command line shows and changes sites: despatch providers list.',
  },
  {
    name: 'recalls',
    page: '/print-runs',
    what: 'Recalls without an answer',
    why: 'The provider has not said whether it could stop the documents. Ask it, and settle them there in its stead (or despatch runs settle-recall).',
  },
]

function findPrintingConcerns(printing: Printing): Concern[] {
  return printingConcerns
    .filter(({ name }) => printing[name].count > 0)
    .map(({ name, what, why, page }) => {
      const { count, oldestSeconds } = printing[name]
      return {
        what: `${what}: ${renderCount(count)}, the first for ${renderAge(oldestSeconds)}`,
        why,
        page,
      }
    })
}
