import type { Dependency } from '@despatch/domain/outage/unavailable-dependency'
import type { Lateness } from '@despatch/domain/print-job/lateness'
import { laneNames } from '@despatch/domain/work/lane'
import type { QueueState } from '@despatch/queue/queues'
import { renderCount, renderCountOf, renderSince } from '../pages/figures.ts'
import type { DueToday } from './due-today.ts'
import type { Printing } from './printing.ts'
import type { Figures } from './read-figures.ts'
import type { UnproducedClass } from './unproduced-classes.ts'

/** A problem for operators: what is late, and what that usually means. */
export type Concern = {
  /** The kind of the problem. It stays the same while counts and ages change. */
  name: string
  what: string
  why: string
  /** How long the oldest has waited, in seconds. */
  oldestSeconds?: number | null
  /** The page of the console where something can be done about it, and the text of the button that opens it. */
  open?: { path: string; text: string }
  /** Whether letters are late or stand still because of it. */
  isUrgent?: boolean
}

const callbackLateSeconds = 60
const validatingLateSeconds = 300
const lettersLateSeconds = 600

/** Returns what is late or set aside. The list is empty if nothing requires a person. */
export function listConcerns(figures: Figures, now: Date): Concern[] {
  const { parked, work, callbacks, unavailableOrigins, printJobs, outages } = figures
  const { bulkActions } = figures
  const concerns: Concern[] = findOutages(figures, now)
  const validatingSeconds =
    printJobs.find(({ status }) => status === 'VALIDATING')?.oldestSeconds ?? 0
  if (parked.count > 0) {
    concerns.push({
      isUrgent: true,
      name: 'Parked letters',
      what: `${renderCountOf(parked.count, 'letter is', 'letters are')} parked`,
      oldestSeconds: parked.oldestSeconds,
      open: { path: '/print-jobs?only=parked', text: `Review ${renderCount(parked.count)}` },
      why: 'A step failed repeatedly because of a fault of ours, which the page of each letter names. After you correct the fault, choose Retry there, or select many in the list. The list can also retry all that an outage parked.',
    })
  }
  if ((callbacks.lateSeconds ?? 0) > callbackLateSeconds) {
    concerns.push({
      isUrgent: true,
      name: 'Overdue callbacks',
      what: 'Callbacks are overdue',
      oldestSeconds: callbacks.lateSeconds,
      open: { path: '/callbacks?status=DUE', text: 'Open callbacks' },
      why: 'The callbacks service is not running, or is overloaded.',
    })
  }
  // during an outage, the outage already explains the wait
  if (validatingSeconds > validatingLateSeconds && outages.length === 0) {
    concerns.push({
      name: 'A letter is checked for too long',
      what: 'A letter is checked for too long',
      oldestSeconds: validatingSeconds,
      open: { path: '/print-jobs?status=VALIDATING', text: 'Open letters' },
      why: 'It fails and is retried, or the pipeline is overloaded.',
    })
  }
  const oldestWaiting = work.lanes.reduce((a, b) =>
    (b.oldestSeconds ?? 0) > (a.oldestSeconds ?? 0) ? b : a,
  )
  if ((oldestWaiting.oldestSeconds ?? 0) > lettersLateSeconds && outages.length === 0) {
    const { lane, letters, oldestSeconds } = oldestWaiting
    concerns.push({
      name: 'Letters wait too long',
      what: `${renderCountOf(letters, 'letter waits', 'letters wait')} in the lane: ${laneNames[lane].toLowerCase()}`,
      oldestSeconds,
      open: { path: '/queue-control', text: 'Open queues' },
      why: 'More letters arrive than the workers process, or the workers take no batches. The Queues page shows the batches.',
    })
  }
  if (unavailableOrigins.count > 0) concerns.push(findUnavailableOrigins(unavailableOrigins))
  if (callbacks.deadLastDay > 0) {
    concerns.push({
      name: 'Dead callbacks',
      what: `${renderCountOf(callbacks.deadLastDay, 'callback has', 'callbacks have')} become dead in the last day`,
      open: {
        path: '/callbacks?status=DEAD',
        text: `Review ${renderCount(callbacks.deadLastDay)}`,
      },
      why: 'The consumer refused them, or did not respond before the retry window ended. When the consumer has corrected this, send them again above their list.',
    })
  }
  if (bulkActions.count > 0) concerns.push(findBulkActions(bulkActions))
  return [...concerns, ...listPrintingConcerns(figures), ...figures.unproducedClasses.map(ofClass)]
}

/** Letters of one class wait for a site that produces it. */
function ofClass({ despatchMethod, count, oldestSeconds }: UnproducedClass): Concern {
  return {
    isUrgent: true,
    name: `No site produces ${despatchMethod}`,
    what: `No site produces ${despatchMethod}, ${renderCountOf(count, 'letter waits', 'letters wait')}`,
    oldestSeconds,
    open: { path: '/print-runs', text: 'Open sites' },
    why: `Ask a provider to declare ${despatchMethod} among the despatch methods of a site that can produce it, or enable such a site. The letters are then placed within a minute.`,
  }
}

/** A single bulk action is opened. */
function findBulkActions({ count, oldestSeconds, oldest }: Figures['bulkActions']): Concern {
  return {
    name: 'Bulk actions waiting for a second person',
    what: renderCountOf(
      count,
      'bulk action waits for a second person',
      'bulk actions wait for a second person',
    ),
    oldestSeconds,
    open: {
      path: count === 1 ? `/bulk-actions?bulk=${oldest}` : '/bulk-actions',
      text: `Decide ${renderCount(count)}`,
    },
    why: 'They are large, so another operator than the one who planned them must confirm. After 24 hours a plan expires, and nothing is done.',
  }
}

/** A single origin is named. */
function findUnavailableOrigins({
  count,
  oldest,
  oldestSeconds,
}: Figures['unavailableOrigins']): Concern {
  const isOne = count === 1 && oldest !== null
  return {
    name: 'Unavailable callback origins',
    what: isOne
      ? `${oldest} does not answer`
      : `${renderCount(count)} callback origins do not answer`,
    oldestSeconds,
    open: isOne
      ? {
          path: `/callbacks?${new URLSearchParams({ origin: oldest, status: 'DUE' })}`,
          text: 'Open origin',
        }
      : { path: '/callbacks?status=DUE', text: 'Open callbacks' },
    why: 'Calls fail repeatedly, so only a probe is sent from time to time and the other callbacks wait. Delivery resumes automatically when the consumer responds. The Callbacks page shows which origins fail and how.',
  }
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
      name: `${name} unavailable`,
      what: `${name} unavailable, ${renderCountOf(waiting, 'letter waits', 'letters wait')}`,
      oldestSeconds: (now.getTime() - since.getTime()) / 1_000,
      open: { path: `/print-jobs?status=${waitsIn[0]}`, text: 'Open letters' },
      why: `Reported by ${services.join(', ')} since ${renderSince(since, now)}: ${reason}. Letters continue automatically when it is available again. They lose no attempts.`,
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
      name: `The queue ${name} is paused`,
      what: `The queue ${name} is paused, ${renderCountOf(waiting, 'task waits', 'tasks wait')}`,
      open: { path: '/queue-control', text: 'Open queues' },
      why: 'No tasks are taken from it until an operator resumes it. The Queues page shows who paused it, when and why.',
    }))
}

/** Returns the letters that are overdue or may miss their due date. */
export function listDueConcerns({
  letters,
  isMore,
}: Pick<DueToday, 'letters' | 'isMore'>): Concern[] {
  const lettersThat = (lateness: Lateness, one: string, many: string) =>
    isMore
      ? `${renderCount(letters[lateness])} or more letters ${many}`
      : renderCountOf(letters[lateness], `letter ${one}`, `letters ${many}`)
  const review = (lateness: Lateness) => ({
    path: `/print-jobs?only=${lateness}`,
    text: `Review ${renderCount(letters[lateness])}`,
  })
  return [
    ...(letters.overdue > 0
      ? [
          {
            isUrgent: true,
            name: 'Overdue letters',
            what: lettersThat('overdue', 'is overdue', 'are overdue'),
            open: review('overdue'),
            why: 'Their due date is over, and no posting has reported them. The page of each says where it is.',
          },
        ]
      : []),
    ...(letters['at-risk'] > 0
      ? [
          {
            name: 'Letters due today at risk',
            what: lettersThat('at-risk', 'due today is at risk', 'due today are at risk'),
            open: review('at-risk'),
            why: 'They are parked, missed their cut-off, or their site cannot finish before the last collection.',
          },
        ]
      : []),
  ]
}

type PrintingConcern = Pick<Concern, 'why' | 'isUrgent'> & {
  of: keyof Printing
  name: string
  /** What is wrong, in words for one and for several. */
  one: string
  many: string
  /** The path of their list, and the verb of its button, which shows their number. */
  list: string
  verb: string
  /** It is about whole print runs, so one alone opens the page of its run. */
  isRun?: boolean
}

/** Each waits for a person, however many there are. */
const printingConcerns: readonly PrintingConcern[] = [
  {
    of: 'overdue',
    isUrgent: true,
    isRun: true,
    name: 'Print runs not claimed by their despatch date',
    one: 'print run was not claimed by its despatch date',
    many: 'print runs were not claimed by their despatch date',
    list: '/print-runs?state=RELEASED',
    verb: 'Reassign',
    why: 'Their provider does not request its work. Reassign them to another site on the page of each.',
  },
  {
    of: 'unreleased',
    isUrgent: true,
    isRun: true,
    name: 'Print runs that cannot be released',
    one: 'print run cannot be released',
    many: 'print runs cannot be released',
    list: '/print-runs?state=OPEN',
    verb: 'Review',
    why: 'Their cut-off has passed, and numbering their documents fails. The release is retried automatically, and other runs are released as usual. The page of each run names the fault.',
  },
  {
    of: 'unacknowledged',
    isRun: true,
    name: 'Claimed print runs with an expired lease',
    one: 'claimed print run has an expired lease',
    many: 'claimed print runs have an expired lease',
    list: '/print-runs?state=CLAIMED',
    verb: 'Review',
    why: 'The provider may have lost the response, and is offered the same run again. Ask the provider, and reassign them only if nothing is printed.',
  },
  {
    of: 'refused',
    isUrgent: true,
    isRun: true,
    name: 'Print runs refused by their provider',
    one: 'print run was refused by its provider',
    many: 'print runs were refused by their provider',
    list: '/print-runs?state=REFUSED',
    verb: 'Reassign',
    why: 'Nothing is printed. Reassign them to another site on the page of each, or recall their documents there.',
  },
  {
    of: 'reprints',
    name: 'Reprints waiting for a second person',
    one: 'reprint waits for a second person',
    many: 'reprints wait for a second person',
    list: '/print-runs',
    verb: 'Decide',
    why: 'The provider needs more reprints than it may make without approval. Authorise or refuse them there.',
  },
  {
    of: 'unroutable',
    isUrgent: true,
    name: 'Letters that no site can print',
    one: 'letter fits no site',
    many: 'letters fit no site',
    list: '/print-jobs?status=PENDING',
    verb: 'Review',
    why: 'No enabled site has their paper, format or despatch method, or an envelope for their sheets, or all such sites are full or absent. The Runs page shows the sites.',
  },
  {
    of: 'recalls',
    name: 'Unanswered recalls',
    one: 'recall is not answered',
    many: 'recalls are not answered',
    list: '/print-runs',
    verb: 'Settle',
    why: 'The provider has not reported whether it could stop the documents. Ask the provider, and settle the recalls there on its behalf.',
  },
]

function listPrintingConcerns({ printing, unproducedClasses }: Figures): Concern[] {
  const ofNoClass = unproducedClasses.reduce((sum, { count }) => sum + count, 0)
  return printingConcerns
    .filter(({ of }) => printing[of].count > (of === 'unroutable' ? ofNoClass : 0))
    .map(({ of, one, many, list, verb, isRun, ...concern }) => {
      const { count, oldestSeconds, oldestRun } = printing[of]
      const isOneRun = isRun && count === 1 && oldestRun !== null
      return {
        ...concern,
        what: renderCountOf(count, one, many),
        oldestSeconds,
        open: isOneRun
          ? { path: `/print-runs?run=${oldestRun}`, text: 'Open run' }
          : { path: list, text: `${verb} ${renderCount(count)}` },
      }
    })
}
