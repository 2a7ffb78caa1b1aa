import type { PrintJobDetailsResponse } from '@despatch/contracts/administration/print-job'
import type { ComponentChildren } from 'preact'
import { withQuery } from '../parts/api.ts'
import { callbackEndName, statusName } from '../parts/chips.tsx'
import { Card, Icon, Time } from '../parts/elements.tsx'
import { countOf, dayName, duration, londonDate } from '../parts/format.ts'

type Letter = PrintJobDetailsResponse
type Event = Letter['events'][number]
type Entry = {
  at: string
  mark: readonly [shape: string, tone: string]
  text: ComponentChildren
  more?: ComponentChildren
}

/** A shorter time between two events says nothing to a reader. */
const shownMs = 1_000
/** From this length on, a stretch without news is worth a look while the letter is under way. */
const longMs = 24 * 60 * 60 * 1_000

/** What happened, and its shape. */
const happenings: Readonly<Record<string, readonly [text: string, shape: string, tone: string]>> = {
  submit: ['Received', 'quarantine', ''],
  release: ['Files trusted, pages being checked', 'validating', 'info'],
  accept: ['Ready', 'pending', 'info'],
  produce: ['Claimed', 'production', 'work'],
  despatch: ['Despatched', 'despatched', 'ok'],
  reject: ['Rejected', 'rejected', 'bad'],
  fetch: ['Fetched', 'dot', 'work'],
  print: ['Printed', 'dot', 'work'],
  enclose: ['Enclosed', 'dot', 'work'],
  divert: ['Diverted', 'alert', 'warn'],
  spoil: ['Spoiled', 'deleted', 'warn'],
  reprint: ['Reprint', 'redo', 'work'],
  'move-run': ['Moved to another run', 'dot', ''],
  return: ['Returned by the carrier', 'undo', 'warn'],
  hold: ['Held', 'held', 'warn'],
  'release-hold': ['Released', 'dot', ''],
  redrive: ['Retried', 'redo', ''],
  'override-address': ['Address corrected', 'dot', ''],
  delete: ['Cancelled', 'deleted', ''],
  purge: ['Personal data deleted', 'deleted', ''],
}
/** Events of which the reader wants to know who caused them. */
const byProviders = [
  'produce',
  'fetch',
  'print',
  'enclose',
  'divert',
  'spoil',
  'despatch',
  'return',
]

/** The timeline of a letter, with its callbacks, actors, reasons and the time between. */
export function Timeline({ letter }: { letter: Letter }) {
  const entries = [
    ...letter.events.map((event) => entryOf(event, letter)),
    ...callbackEntries(letter),
  ]
  entries.sort((one, other) => Date.parse(one.at) - Date.parse(other.at))
  const isOver = letter.status === 'DESPATCHED' || letter.status === 'REJECTED' || letter.deletedAt
  const end = isOver ? Date.parse(letter.events.at(-1)?.at ?? letter.updatedAt) : Date.now()
  const took = duration(end - Date.parse(letter.createdAt))
  return (
    <Card title="Timeline" meta={isOver ? `${took} in all` : `${took} so far`} isPadded>
      <ol class="time" aria-label="Timeline">
        {entries.map((entry, index) => (
          <>
            {dayBefore(entries[index - 1]) !== dayBefore(entry) && dayItem(entry.at)}
            {item(entry, entries[index + 1], { isOver: Boolean(isOver) })}
          </>
        ))}
      </ol>
    </Card>
  )
}

function dayBefore(entry: Entry | undefined): string {
  return entry ? londonDate(new Date(entry.at)) : ''
}

/** Symbols of lines, which are not filled. */
const outlines: ReadonlySet<string> = new Set(['callbacks', 'redo', 'undo'])

function dayItem(at: string) {
  return (
    <li>
      <span />
      <span class="mark">
        <Icon name="ring" kind="g" />
      </span>
      <p class="day">{dayName(at)}</p>
    </li>
  )
}

function item(
  { at, mark: [shape, tone], text, more }: Entry,
  next: Entry | undefined,
  { isOver }: { isOver: boolean },
) {
  const until = next ? Date.parse(next.at) : isOver ? undefined : Date.now()
  const gapMs = until === undefined ? undefined : until - Date.parse(at)
  const isLong = !next && gapMs !== undefined && gapMs > longMs
  const kind = [tone && `is-${tone}`, isLong && 'wait'].filter(Boolean).join(' ')
  return (
    <li class={kind}>
      <span class="at">
        <Time at={at} style="clock" />
      </span>
      <span class="mark">
        <Icon name={shape} kind={outlines.has(shape) ? 'i i-s' : 'g'} />
      </span>
      <div>
        <p>{text}</p>
        {more}
        {gapMs !== undefined && gapMs >= shownMs && (
          <p class={isLong ? 'gap long' : 'gap'}>
            {next ? duration(gapMs) : `${duration(gapMs)} so far`}
          </p>
        )}
      </div>
    </li>
  )
}

function entryOf(event: Event, { consumerName, batchNumber }: Letter): Entry {
  const { at, transition, actor, actorUserName, reason, findings = [] } = event
  const [text, shape, tone] = happenings[transition] ?? [transition, 'dot', '']
  const by =
    transition === 'submit' ? ['from ', consumerName] : whoDid({ transition, actor, actorUserName })
  const run =
    transition === 'produce' && batchNumber
      ? [', in run ', <a href={withQuery('/print-runs', { run: batchNumber })}>{batchNumber}</a>]
      : null
  return {
    at,
    mark: [shape, tone],
    text: [<b>{text}</b>, by && [' ', by[0], by[1]], run, reason && `: ${reason}`],
    more: findings.length > 0 && (
      <ul class="findings">
        {findings.map(({ number, rule, detail }) => (
          <li>
            {number ?? rule}: {detail}
          </li>
        ))}
      </ul>
    ),
  }
}

function whoDid({
  transition,
  actor,
  actorUserName,
}: Pick<Event, 'transition' | 'actor' | 'actorUserName'>) {
  if (actorUserName) return ['by ', actorUserName] as const
  if (actor === 'consumer') return ['by ', 'its consumer'] as const
  return byProviders.includes(transition)
    ? (['by ', actor.replace(/^provider:/, 'provider ')] as const)
    : null
}

function callbackEntries({ callbacks }: Letter): Entry[] {
  return callbacks.flatMap(({ callbackId, endedAt, status, attempts, jobStatus, kind, reason }) => {
    if (!endedAt) return []
    const name = (
      <a href={withQuery('/callbacks', { callback: callbackId })}>
        {jobStatus ? statusName(jobStatus) : kind}
      </a>
    )
    const isDead = status === 'DEAD'
    const tries =
      attempts === 1 && !isDead ? 'on the first attempt' : `after ${countOf(attempts, 'attempt')}`
    return [
      {
        at: endedAt,
        mark: ['callbacks', isDead ? 'bad' : 'ok'] as const,
        text: [
          'Callback ',
          name,
          isDead
            ? ` given up ${tries}${reason ? `: ${callbackEndName(reason).toLowerCase()}` : ''}`
            : ` delivered ${tries}`,
        ],
      },
    ]
  })
}
