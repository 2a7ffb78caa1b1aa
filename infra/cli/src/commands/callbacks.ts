import type {
  AllCallbacksResponse,
  CallbackSummaryWithLogResponse,
} from '@despatch/contracts/administration/callback'
import { callbackStatusFilters } from '@despatch/domain/callback/callback-state'
import { addingTo } from '../operation-command.ts'
import type { Parts } from '../program.ts'
import { renderFields, renderRows } from '../table.ts'
import { oneOf, pageOptions } from './option.ts'
import { addReplayCallbacks, callbackFilterNames, callbackFilters } from './replay-callbacks.ts'

const answerCharactersMax = 60

/** Adds the commands for callbacks. */
export function addCommands(parts: Parts): void {
  const callbacks = parts.program
    .command('callbacks')
    .description('callbacks to consumers, delivered or not')
  const add = addingTo(callbacks, parts)

  add({
    usage: 'list',
    operation: 'listCallbacks',
    route: 'GET /callbacks',
    does: 'lists callbacks of all consumers, newest first',
    options: [
      ...pageOptions(),
      ...callbackFilters(),
      oneOf('--status <status>', 'only in this state', callbackStatusFilters),
    ],
    members: callbackFilterNames,
    text: ({ callbacks }) =>
      renderRows(callbacks, {
        callback: 'callbackId',
        status: statusOf,
        told: triggerOf,
        'print job': 'jobId',
        consumer: 'userName',
        origin: 'origin',
        attempts: 'attempts',
        'next or ended': ({ nextAttemptAt, endedAt }) => nextAttemptAt ?? endedAt,
      }),
  })
  add({
    usage: 'show <callbackId>',
    operation: 'getCallback',
    route: 'GET /callbacks/:callbackId',
    does: 'shows a callback with all attempts, without its message',
    text: renderShown,
  })
  add({
    usage: 'replay <callbackId>',
    operation: 'replayCallback',
    text: ({ callbackId, status }) => `Callback ${callbackId} is ${status}.`,
  })
  addReplayCallbacks(callbacks, parts)
  add({
    usage: 'origins',
    operation: 'listCallbackOrigins',
    route: 'GET /callback-origins',
    does: 'lists the origins of callbacks, with their problems',
    options: pageOptions(),
    text: ({ origins }) =>
      renderRows(origins, {
        origin: 'origin',
        breaker: 'breaker',
        until: 'breakerUntil',
        'failures in a row': 'failuresInRow',
        'last outcome': 'lastOutcome',
        due: 'due',
        'oldest due': 'oldestDueAt',
        dead: 'dead',
      }),
  })
}

type Callback = AllCallbacksResponse['callbacks'][number]

function statusOf({ status, reason }: Callback): string {
  return reason === undefined ? status : `${status} (${reason})`
}

/** Returns what the callback reports: the status of a print job, otherwise its kind. */
function triggerOf({ kind, jobStatus }: Callback): string {
  return kind === 'status' ? (jobStatus ?? kind) : kind
}

function renderShown(callback: CallbackSummaryWithLogResponse): string {
  const fields = renderFields({
    callback: callback.callbackId,
    status: statusOf(callback),
    told: triggerOf(callback),
    'print job': callback.jobId,
    sequence: callback.sequence,
    consumer: `${callback.userName} (${callback.consumerId})`,
    origin: callback.origin,
    attempts: callback.attempts,
    replays: callback.replays,
    owed: callback.createdAt,
    'next attempt': callback.nextAttemptAt,
    'window ends': callback.windowEndsAt,
    ended: callback.endedAt,
  })
  return callback.log.length === 0 ? fields : `${fields}\n\n${renderLog(callback.log)}`
}

function renderLog(log: CallbackSummaryWithLogResponse['log']): string {
  const table = renderRows(log, {
    attempt: 'number',
    started: 'startedAt',
    took: ({ durationMs }) => `${durationMs} ms`,
    outcome: 'outcome',
    http: 'httpStatus',
    address: 'address',
    next: 'nextAttemptAt',
    answer: ({ answer = '' }) => shorten(answer),
  })
  const sentences = log.map(({ number, detail }) => `Attempt ${number}: ${detail}`)
  return [table, ...sentences].join('\n')
}

/** Returns the start of a response on one line. The document of --json contains all of it. */
function shorten(answer: string): string {
  const line = answer.replaceAll(/\s+/g, ' ').trim()
  return line.length > answerCharactersMax ? `${line.slice(0, answerCharactersMax)}…` : line
}
