import type {
  AllCallbacksResponse,
  CallbackOriginsResponse,
  CallbackSummaryWithLogResponse,
} from '@despatch/contracts/administration/callback'
import { callbackStatusFilters } from '@despatch/domain/callback/callback-state'
import { callbackActions } from '@despatch/domain/operator-action/callback-actions'
import { actionPath } from '@despatch/domain/operator-action/operator-action'
import type { Command } from 'commander'
import type { CommandContext } from '../command-context.ts'
import type { Run } from '../program.ts'
import { renderFields, renderTable } from '../table.ts'
import { addActionCommand } from './action-command.ts'
import {
  addCallbackFilter,
  type CallbackFilterOptions,
  readCallbackFilter,
} from './callback-filter.ts'
import { addPageOptions, oneOf, type PageOptions, queryOf } from './option.ts'
import { addReplayCallbacks } from './replay-callbacks.ts'

const answerCharactersMax = 60

/** Adds the commands for callbacks. */
export function addCallbackCommands(program: Command, run: Run, context: CommandContext): void {
  const callbacks = program
    .command('callbacks')
    .description('callbacks to consumers, delivered or not')

  addCallbackFilter(addPageOptions(callbacks.command('list')))
    .description('lists callbacks of all consumers, newest first')
    .addOption(oneOf('--status <status>', 'only in this state', callbackStatusFilters))
    .action(({ limit, cursor, ...options }: PageOptions & CallbackFilterOptions) =>
      run(async (session) => {
        const filter = await readCallbackFilter(session, options)
        const path = `/callbacks?${queryOf({ ...filter, limit, cursor })}`
        const page = await session.send<AllCallbacksResponse>('GET', path)
        const more = page.nextCursor ? `\n\nNext page: --cursor ${page.nextCursor}` : ''
        return { document: page, text: `${renderCallbacks(page.callbacks)}${more}` }
      }),
    )

  callbacks
    .command('show <callbackId>')
    .description('shows a callback with all attempts, without its message')
    .action((callbackId: string) =>
      run(async (session) => {
        const path = pathOf(callbackId)
        const shown = await session.send<CallbackSummaryWithLogResponse>('GET', path)
        return { document: shown, text: renderShown(shown) }
      }),
    )

  addActionCommand(callbacks, 'replay <callbackId>', callbackActions.replay).action(
    (callbackId: string) =>
      run(async (session) => {
        const path = actionPath(callbackActions.replay, callbackId)
        const shown = await session.send<CallbackSummaryWithLogResponse>('POST', path)
        return { document: shown, text: `Callback ${callbackId} is ${shown.status}.` }
      }),
  )

  addReplayCallbacks(callbacks, run, context)

  addPageOptions(callbacks.command('origins'))
    .description('lists the origins of callbacks, with their problems')
    .action((options: PageOptions) =>
      run(async (session) => {
        const path = `/callback-origins?${queryOf(options)}`
        const page = await session.send<CallbackOriginsResponse>('GET', path)
        const more = page.nextCursor ? `\n\nNext page: --cursor ${page.nextCursor}` : ''
        return { document: page, text: `${renderOrigins(page.origins)}${more}` }
      }),
    )
}

function pathOf(callbackId: string): string {
  return `/callbacks/${encodeURIComponent(callbackId)}`
}

function renderCallbacks(callbacks: AllCallbacksResponse['callbacks']): string {
  const header = [
    'callback',
    'status',
    'told',
    'print job',
    'consumer',
    'origin',
    'attempts',
    'next or ended',
  ]
  const rows = callbacks.map((callback) => [
    callback.callbackId,
    statusOf(callback),
    triggerOf(callback),
    callback.jobId ?? '-',
    callback.userName,
    callback.origin,
    String(callback.attempts),
    callback.nextAttemptAt ?? callback.endedAt ?? '-',
  ])
  return renderTable(header, rows)
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
    sequence: String(callback.sequence),
    consumer: `${callback.userName} (${callback.consumerId})`,
    origin: callback.origin,
    attempts: String(callback.attempts),
    replays: String(callback.replays),
    owed: callback.createdAt,
    'next attempt': callback.nextAttemptAt,
    'window ends': callback.windowEndsAt,
    ended: callback.endedAt,
  })
  return callback.log.length === 0 ? fields : `${fields}\n\n${renderLog(callback.log)}`
}

function renderLog(log: CallbackSummaryWithLogResponse['log']): string {
  const header = ['attempt', 'started', 'took', 'outcome', 'http', 'address', 'next', 'answer']
  const rows = log.map((attempt) => [
    String(attempt.number),
    attempt.startedAt,
    `${attempt.durationMs} ms`,
    attempt.outcome,
    String(attempt.httpStatus ?? '-'),
    attempt.address ?? '-',
    attempt.nextAttemptAt ?? '-',
    shorten(attempt.answer ?? ''),
  ])
  const sentences = log.map(({ number, detail }) => `Attempt ${number}: ${detail}`)
  return [renderTable(header, rows), ...sentences].join('\n')
}

/** Returns the start of a response on one line. The document of --json contains all of it. */
function shorten(answer: string): string {
  const line = answer.replaceAll(/\s+/g, ' ').trim()
  return line.length > answerCharactersMax ? `${line.slice(0, answerCharactersMax)}…` : line
}

function renderOrigins(origins: CallbackOriginsResponse['origins']): string {
  const header = [
    'origin',
    'breaker',
    'until',
    'failures in a row',
    'last outcome',
    'due',
    'oldest due',
    'dead',
  ]
  const rows = origins.map((origin) => [
    origin.origin,
    origin.breaker,
    origin.breakerUntil ?? '-',
    String(origin.failuresInRow),
    origin.lastOutcome ?? '-',
    String(origin.due),
    origin.oldestDueAt ?? '-',
    String(origin.dead),
  ])
  return renderTable(header, rows)
}
