import type { ReplayResultResponse } from '@despatch/contracts/print-request/callback'
import {
  callbackEndReasons,
  callbackStatusFilters,
  replaysMax,
} from '@despatch/domain/callback/callback-state'
import { callbackActions } from '@despatch/domain/operator-action/callback-actions'
import { actionPath } from '@despatch/domain/operator-action/operator-action'
import type { Command } from 'commander'
import { refuseUnlessAgreed } from '../agree.ts'
import { countOf } from '../count-of.ts'
import { Failure } from '../failure.ts'
import { addActionCommand } from '../operation.ts'
import { type MemberNames, membersOf } from '../operation-command.ts'
import type { Parts } from '../program.ts'
import { oneOf, option, parseMoment } from './option.ts'

const { 'replay-many': replayMany } = callbackActions

type ReplayOptions = { yes?: true; dryRun?: true } & Readonly<Record<string, unknown>>

/** Adds the command that replays many callbacks, after showing their count. */
export function addReplayCallbacks(callbacks: Command, { run, context }: Parts): void {
  const command = addActionCommand(callbacks, 'replay-many', replayMany)
  for (const filter of callbackFilters()) command.addOption(filter)
  command
    .addOption(oneOf('--status <status>', 'in this state', callbackStatusFilters).default('DEAD'))
    .option('--dry-run', 'only show the count')
    .option('--yes', 'send without asking for confirmation')
    .addHelpText('after', helpAboutAgreeing)
    .action(({ yes, dryRun, ...options }: ReplayOptions) =>
      run(async (session) => {
        const filter = await membersOf(session, options, callbackFilterNames)
        const path = actionPath(replayMany)
        const counted = await session.send<ReplayResultResponse>('POST', path, {
          ...filter,
          dryRun: true,
        })
        const { count } = counted
        const output = { document: counted, text: renderCount(counted) }
        if (dryRun || count === 0) return output
        if (count > replaysMax) throw tooMany(count)
        const question = 'Send them again?'
        const agreement = { yes, describe: () => output, question, otherwise: 'nothing was sent' }
        const refusal = await refuseUnlessAgreed(agreement, context)
        if (refusal) return refusal
        const body = { ...filter, expectedCount: count }
        const replayed = await session.send<ReplayResultResponse>('POST', path, body)
        return { document: replayed, text: `${countOf(count, 'callback')} will be sent again.` }
      }),
    )
}

/** Returns the filters for listing callbacks and for replaying them. */
export function callbackFilters() {
  return [
    oneOf('--reason <reason>', 'only dead callbacks with this reason', callbackEndReasons),
    option('--consumer <userName>', 'only for this consumer'),
    option('--origin <origin>', 'only to this origin, such as https://example.com'),
    option('--job <id>', 'only for this print job'),
    option(
      '--from <time>',
      'inclusive start of the range, such as 2026-01-31T09:00:00Z',
      parseMoment,
    ),
    option('--to <time>', 'exclusive end of the range', parseMoment),
  ]
}

/** The names of these filters in the API. */
export const callbackFilterNames: MemberNames = {
  job: 'jobId',
  from: 'createdFrom',
  to: 'createdTo',
}

const helpAboutAgreeing = `
Callbacks keep their ids and messages, so a receiver that checks the id processes none twice. The command shows the count and
asks for confirmation. Without a terminal it requires --yes; otherwise it sends nothing and exits with 2. If the selected callbacks
have changed when you confirm, it sends nothing and exits with 1.`

function tooMany(count: number): Failure {
  return new Failure(
    `${countOf(count, 'callback')} are selected; the maximum is ${replaysMax}. Narrow the selection with --from and --to`,
    { exitCode: 1 },
  )
}

function renderCount({ count, oldest, newest }: ReplayResultResponse): string {
  if (oldest === undefined || newest === undefined) return `${countOf(count, 'callback')}.`
  return `${countOf(count, 'callback')}, created from ${oldest} to ${newest}.`
}
