import type { CallbackSummaryWithLogResponse } from '@despatch/contracts/administration/callback'
import { callbackActions } from '@despatch/domain/operator-action/callback-actions'
import { actionPath } from '@despatch/domain/operator-action/operator-action'
import { ask, withQuery } from '../parts/api.ts'
import { CallbackChip, statusName } from '../parts/chips.tsx'
import {
  Banner,
  type BannerProps,
  Button,
  Card,
  Copyable,
  CopyButton,
  FactList,
  Head,
  Icon,
  Time,
} from '../parts/elements.tsx'
import { count, countOf, duration } from '../parts/format.ts'
import { askFirst, questionOf } from '../parts/question.tsx'
import type { Reading } from '../parts/reading.tsx'
import { whyNotForMe } from '../parts/session.ts'

type Callback = CallbackSummaryWithLogResponse
type Attempt = Callback['log'][number]

const { replay } = callbackActions
/** Why a callback was given up. */
const ends: Readonly<Record<NonNullable<Callback['reason']>, string>> = {
  gone: 'The receiver answered 410: it wants no more callbacks of this letter.',
  refused: 'The receiver refused it for good.',
  unsendable: 'Its target may not be called, or its credentials cannot be sent.',
  'retries-off': 'The only attempt failed, and its consumer wants no retries.',
  'window-ended': 'Every attempt failed until its retry window ended.',
}

export function isOver({ status }: Callback): boolean {
  return status === 'DELIVERED' || status === 'DEAD'
}

export function standingOf({ callbackId, status }: Callback): string {
  return `Callback ${callbackId} is ${status}.`
}

/** One callback: what it says, each attempt with its answer, and how to send it again. */
export function CallbackPage({ reading }: { reading: Reading<Callback> }) {
  const callback = reading.facts()
  const crumbs = [{ path: '/callbacks', title: 'Callbacks' }]
  if (!callback) {
    return (
      <>
        <Head title="Callback" crumbs={crumbs} />
        {reading.absent('Callback')}
      </>
    )
  }
  const { callbackId, jobId, origin, status } = callback
  const says = sayingOf(callback)
  return (
    <>
      <Head
        title={
          jobId ? (
            <>
              {says}, for <span class="mono">{jobId}</span>
            </>
          ) : (
            `${says} message`
          )
        }
        crumbs={[
          ...crumbs,
          {
            path: withQuery('/callbacks', { origin, status }),
            title: `${origin}, ${status.toLowerCase()}`,
          },
        ]}
        beside={<Copyable value={callbackId} name="callback id" shownMax={40} />}
      />
      <div class="stack">
        <Banner {...bannerOf(callback)} />
        <div class="cols wide-left">
          <div class="act-side">
            <Actions callback={callback} reading={reading} />
          </div>
          <div class="wide">
            <AttemptsMade callback={callback} />
          </div>
          <div class="fact-side">
            <CallbackFacts callback={callback} />
          </div>
        </div>
      </div>
    </>
  )
}

function sayingOf({ jobStatus, kind }: Callback): string {
  return jobStatus ? statusName(jobStatus) : kind === 'return' ? 'Returned' : 'Test'
}

function bannerOf(callback: Callback): BannerProps {
  const { status, endedAt, nextAttemptAt, windowEndsAt, userName, log, reason } = callback
  const line = [
    <CallbackChip state={status} isBig />,
    <span class="meta">
      <Time at={endedAt ?? nextAttemptAt ?? callback.createdAt} />
    </span>,
  ]
  const last = log.at(-1)
  switch (status) {
    case 'DELIVERED':
      return {
        line,
        say: last
          ? `Delivered, answered ${last.httpStatus ?? ''} in ${duration(last.durationMs)}.`
          : 'Delivered.',
      }
    case 'DEAD':
      return {
        line,
        tone: 'bad',
        say: reason ? ends[reason] : 'Given up.',
        why: {
          'Last attempt': last?.detail,
          Effect: `${userName} has not been notified. The letter itself is not affected.`,
          'What happens next': 'Nothing, until someone sends it again.',
        },
      }
    case 'DUE':
      return {
        line,
        ...(log.length > 0 && { tone: 'warn' as const }),
        say: [
          log.length > 0 ? 'It failed and is retried: ' : 'It is sent ',
          <Time at={nextAttemptAt} style="relative" />,
          '.',
        ],
        why: {
          'Last attempt': last?.detail,
          'What happens next': windowEndsAt && [
            'It is retried until ',
            <Time at={windowEndsAt} />,
            '.',
          ],
        },
      }
    default:
      return {
        line,
        say: 'It waits for an earlier callback.',
        why: { 'What happens next': 'It is sent when the earlier one is delivered or given up.' },
      }
  }
}

type OfCallback = { callback: Callback }

function Actions({
  callback: { callbackId, origin, status },
  reading,
}: OfCallback & { reading: Reading<Callback> }) {
  const whyNot = whyNotForMe(replay.operationId)
  const sendAgain = () =>
    askFirst(
      questionOf(replay, {
        title: 'Send 1 callback again?',
        button: 'Send 1 callback again',
        points: [`It goes to ${origin}.`],
        onSend: async () => {
          await ask('POST', actionPath(replay, callbackId))
          return { done: 'The callback will be sent again.', again: reading.again }
        },
      }),
    )
  return (
    <Card title="Actions">
      <div class="body actions">
        {whyNot === null && (
          <Button
            onClick={sendAgain}
            icon="redo"
            look={status === 'DEAD' ? 'full primary' : 'full'}
          >
            Send this callback again…
          </Button>
        )}
        <a class="btn full" href={withQuery('/callbacks', { origin, status: 'DEAD' })}>
          <Icon name="callbacks" />
          Dead callbacks of this origin…
        </a>
        <p class="not">
          {whyNot && (
            <>
              <b>{replay.label}</b>: {whyNot}{' '}
            </>
          )}
          It has the same id again, so a receiver that remembers ids does nothing twice.
        </p>
      </div>
    </Card>
  )
}

function AttemptsMade({ callback: { log, origin, callbackId } }: OfCallback) {
  return (
    <Card title="Attempts" meta={log.length > 0 && `${count(log.length)}, last first`}>
      <div class="body">
        {log.length === 0 ? (
          <p>No attempts yet.</p>
        ) : (
          <ol class="time" aria-label="Attempts">
            {log.toReversed().map((each) => attemptItem(each, { origin, callbackId }))}
          </ol>
        )}
      </div>
    </Card>
  )
}

function attemptItem(
  made: Attempt,
  { origin, callbackId }: { origin: string; callbackId: string },
) {
  const isDelivered = made.outcome === 'delivered'
  const late = Date.parse(made.startedAt) - Date.parse(made.plannedAt)
  const answer = [
    made.httpStatus ? `HTTP ${made.httpStatus}` : made.detail,
    made.address && `address ${made.address}`,
    '',
    made.answer ?? '',
  ]
    .filter((line) => line !== undefined)
    .join('\n')
    .trim()
  const request = [
    `POST ${origin}/…`,
    'content-type: application/json',
    `webhook-id: ${callbackId}`,
    '',
    'The rest of the target, the credentials and the body are hidden: they are secret or personal.',
  ].join('\n')
  return (
    <li class={isDelivered ? 'is-ok' : 'is-bad'}>
      <span class="at">
        <Time at={made.startedAt} style="clock" />
      </span>
      <span class="mark">
        <Icon name={isDelivered ? 'despatched' : 'rejected'} kind="g" />
      </span>
      <div>
        <p>
          <b>Attempt {made.number}</b> · {duration(made.durationMs)} · {made.detail}
        </p>
        <p class="gap">
          {late > 1_000 ? `started ${duration(late)} after its time` : 'started on time'}
          {made.nextAttemptAt && (
            <>
              , next <Time at={made.nextAttemptAt} />
            </>
          )}
        </p>
        <details>
          <summary>Request and answer</summary>
          <div class="wire">
            {side('Request', request, `request of attempt ${made.number}`)}
            {side('Answer', answer, `answer to attempt ${made.number}`)}
          </div>
        </details>
      </div>
    </li>
  )
}

function side(title: string, text: string, name: string) {
  return (
    <div>
      <h3>
        {title}
        <CopyButton value={text} name={name} />
      </h3>
      <pre tabIndex={0}>{text}</pre>
    </div>
  )
}

function CallbackFacts({ callback }: OfCallback) {
  return (
    <Card
      title="Facts"
      right={<a href={withQuery('/audit', { about: callback.callbackId })}>Audit</a>}
      isPadded
    >
      <FactList
        of={{
          Consumer: (
            <a href={withQuery('/consumers', { consumer: callback.consumerId })}>
              {callback.userName}
            </a>
          ),
          Letter: callback.jobId ? (
            <a href={withQuery('/print-jobs', { find: callback.jobId })}>{callback.jobId}</a>
          ) : (
            'none: it is a test message'
          ),
          Origin: <span class="mono">{callback.origin}</span>,
          Sequence: count(callback.sequence),
          Attempts: countOf(callback.attempts, 'attempt'),
          'Sent again': countOf(callback.replays, 'time'),
          Created: <Time at={callback.createdAt} />,
          'Next attempt': callback.nextAttemptAt && <Time at={callback.nextAttemptAt} />,
          'Window ends': callback.windowEndsAt && <Time at={callback.windowEndsAt} />,
          Ended: callback.endedAt && <Time at={callback.endedAt} />,
        }}
      />
    </Card>
  )
}
