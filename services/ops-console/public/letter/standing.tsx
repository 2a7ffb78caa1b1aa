import type { PrintJobDetailsResponse } from '@despatch/contracts/administration/print-job'
import type { FindingResponse } from '@despatch/contracts/print-request/finding'

import { withQuery } from '../parts/api.ts'
import {
  asideChips,
  callbackEndName,
  latenessChip,
  StatusChip,
  statusName,
} from '../parts/chips.tsx'
import { type BannerProps, Time } from '../parts/elements.tsx'
import { dayName, duration, londonDate } from '../parts/format.ts'

type Letter = PrintJobDetailsResponse
type Says = Pick<BannerProps, 'tone' | 'say' | 'why'>

/** Returns the state of a letter in one sentence, for those who hear it. */
export function standingOf({ id, status, parkedAt, heldAt, deletedAt }: Letter): string {
  const aside = deletedAt ? ', cancelled' : parkedAt ? ', parked' : heldAt ? ', held' : ''
  return `Letter ${id} is ${status}${aside}.`
}

/** Returns the findings of the last check. Those of the submission are about the request, not about a page. */
export function findingsOf({ events }: Letter): readonly FindingResponse[] {
  const judged = events.findLast((event) => event.findings && event.transition !== 'submit')
  return judged?.findings ?? []
}

/** Returns the name that the letter is addressed to, unless it has been removed. */
export function recipientOf({
  addressOverride,
  submittedAddress,
  printableAddress,
}: Letter): string | undefined {
  const submitted = (addressOverride ?? submittedAddress)?.recipientName
  return submitted ?? printableAddress?.recipientLine1
}

/** Returns what the banner of a letter says: its state, why, and what happens next. */
export function bannerOf(letter: Letter): BannerProps {
  const says = sayingOf(letter)
  const late = whyLate(letter)
  return {
    ...says,
    tone: says.tone ?? (late ? (letter.lateness === 'overdue' ? 'bad' : 'warn') : undefined),
    why: { 'Why it is late': late, ...says.why },
    line: [
      <StatusChip status={letter.status} isBig />,
      ...asideChips(letter, true),
      latenessChip(letter.lateness, true),
      sinceOf(letter),
      dueOf(letter),
    ],
  }
}

function sinceOf({ updatedAt, createdAt, status }: Letter) {
  const isOver = status === 'DESPATCHED' || status === 'REJECTED'
  const took = Date.parse(updatedAt) - Date.parse(createdAt)
  return (
    <span class="meta">
      {isOver ? (
        <>
          <Time at={updatedAt} /> · {duration(took)} after it was received
        </>
      ) : (
        <>
          since <Time at={updatedAt} />
        </>
      )}
    </span>
  )
}

function whyLate(letter: Letter): BannerProps['say'] | undefined {
  const { lateness, batchNumber, status, parkedAt } = letter
  if (lateness !== 'overdue' && lateness !== 'at-risk') return undefined
  if (parkedAt) return 'It is set aside, and joins no print run until an operator retries it.'
  if (!batchNumber)
    return 'It is in no print run, and the last cut-off for its date is over or near.'
  const run = <a href={withQuery('/print-runs', { run: batchNumber })}>run {batchNumber}</a>
  return status === 'PRODUCTION'
    ? ['Its provider has not reported it as posted: see ', run, '.']
    : ['Its provider has not claimed ', run, ' in time.']
}

function dueOf({ dueDate, lateness }: Letter) {
  if (!dueDate || lateness === 'despatched') return null
  const verb = lateness === 'overdue' ? 'was due' : 'due'
  return (
    <span class="meta">
      {verb} {dayName(dueDate)}
    </span>
  )
}

function sayingOf(letter: Letter): Says {
  const { status, parkedAt, heldAt, deletedAt, failure, consumerName } = letter
  if (deletedAt) {
    return {
      say: 'Cancelled before it was printed.',
      why: { 'What happens next': 'Nothing more.' },
    }
  }
  if (status === 'REJECTED') return rejected(letter)
  if (parkedAt) {
    return {
      tone: 'bad',
      say: 'Set aside: a step failed repeatedly because of a fault of ours.',
      why: {
        'Our fault': failure ?? 'not recorded',
        'What happens next': `Nothing, until an operator retries it. ${consumerName} has not been notified.`,
      },
    }
  }
  if (heldAt) {
    const { heldByUserName, heldBy, holdReason } = letter
    const holder = heldBy === 'consumer' ? consumerName : heldBy
    return {
      tone: 'warn',
      say: `Held by ${heldByUserName ?? holder ?? 'its contract'}${holdReason ? `: ${holdReason}` : '.'}`,
      why: { 'What happens next': 'It joins no print run until it is released.' },
    }
  }
  return moving(letter)
}

function rejected(letter: Letter): Says {
  const refusal = findingsOf(letter).find(({ severity }) => severity === 'refusal')
  const reason = letter.events.findLast(({ transition }) => transition === 'reject')?.reason
  return {
    tone: 'bad',
    say: refusal?.detail ?? reason ?? 'Rejected.',
    why: {
      Rule: refusal && ruleOf(refusal, letter),
      Callback: callbackOf(letter),
      'What happens next': `Nothing more. ${letter.consumerName} must submit a corrected letter under a new id.`,
    },
  }
}

/** The link answers whether the consumer has the same problem with other letters. */
function ruleOf({ number, rule }: FindingResponse, { consumerId, consumerName }: Letter) {
  if (!number) return rule
  const createdFrom = londonDate(new Date())
  return (
    <a
      href={withQuery('/print-jobs', { status: 'REJECTED', consumerId, rule: number, createdFrom })}
      title={`Letters of ${consumerName} that this rule rejected today`}
    >
      {number} {rule}
    </a>
  )
}

/** Says whether the consumer knows that the letter is rejected. */
function callbackOf({ callbacks, consumerName }: Letter): BannerProps['say'] {
  const callback = callbacks.findLast(({ jobStatus }) => jobStatus === 'REJECTED')
  if (!callback) return `${consumerName} has not been notified: no callback was made.`
  const { callbackId, status, reason, endedAt, nextAttemptAt } = callback
  const what = (verb: string) => [
    `${consumerName} `,
    <a href={withQuery('/callbacks', { callback: callbackId })}>{verb}</a>,
  ]
  if (status === 'DELIVERED') return [what('was notified'), endedAt && onTime(endedAt), '.']
  if (status === 'DEAD') {
    const why = reason && `: ${callbackEndName(reason).toLowerCase()}`
    return [what('could not be notified'), why, '.']
  }
  const next = nextAttemptAt && [', next attempt', onTime(nextAttemptAt)]
  return [what('will be notified'), next, '.']
}

function onTime(at: string) {
  const isToday = londonDate(new Date(at)) === londonDate(new Date())
  return [isToday ? ' at ' : ' on ', <Time at={at} />]
}

function moving({
  status,
  failure,
  batchNumber,
  notBefore,
  printLocation,
  updatedAt,
}: Letter): Says {
  const fault = failure && {
    tone: 'warn' as const,
    why: { 'Our fault': failure, 'What happens next': 'The step is retried automatically.' },
  }
  const run = batchNumber && (
    <a href={withQuery('/print-runs', { run: batchNumber })}>run {batchNumber}</a>
  )
  switch (status) {
    case 'QUARANTINE':
      return {
        say: fault ? 'Its files cannot be read yet.' : 'Its files are being checked.',
        ...fault,
      }
    case 'VALIDATING':
      return {
        say: fault ? 'Its letter cannot be made yet.' : 'Its letter is being made and checked.',
        ...fault,
      }
    case 'PENDING':
      if (run) {
        return {
          say: ['Ready, in ', run, '.'],
          why: { 'What happens next': 'Its provider claims the run after the cut-off.' },
        }
      }
      return {
        say:
          notBefore && Date.parse(notBefore) > Date.now()
            ? ['Ready. It waits until ', <Time at={notBefore} />, ', as its consumer asked.']
            : 'Ready. It joins the next print run.',
        ...fault,
      }
    case 'PRODUCTION':
      return {
        say: [
          'With the factory',
          printLocation && `, at ${printLocation}`,
          run && [', in ', run],
          '.',
        ],
        why: { 'What happens next': 'The factory reports its posting. It is then despatched.' },
      }
    case 'DESPATCHED':
      return {
        say: ['Handed to the carrier ', <Time at={updatedAt} />, run && [', with ', run], '.'],
      }
    default:
      return { say: statusName(status) }
  }
}
