import type { ReplayResultResponse } from '@despatch/contracts/print-request/callback'
import { callbackStatusFilters, replaysMax } from '@despatch/domain/callback/callback-state'
import { callbackActions } from '@despatch/domain/operator-action/callback-actions'
import { actionPath } from '@despatch/domain/operator-action/operator-action'
import type { Command } from 'commander'
import { refuseUnlessAgreed } from '../agree.ts'
import type { CommandContext } from '../command-context.ts'
import { countOf } from '../count-of.ts'
import { Failure } from '../failure.ts'
import type { Run } from '../program.ts'
import { addActionCommand } from './action-command.ts'
import {
  addCallbackFilter,
  type CallbackFilterOptions,
  readCallbackFilter,
} from './callback-filter.ts'
import { oneOf } from './option.ts'

const { 'replay-many': replayMany } = callbackActions

type ReplayOptions = CallbackFilterOptions & { yes?: true; dryRun?: true }

/** Adds the command that replays many callbacks, after showing their count. */
export function addReplayCallbacks(callbacks: Command, run: Run, context: CommandContext): void {
  addCallbackFilter(addActionCommand(callbacks, 'replay-many', replayMany))
    .addOption(oneOf('--status <status>', 'in this state', callbackStatusFilters).default('DEAD'))
    .option('--dry-run', 'only show the count')
    .option('--yes', 'send without asking for confirmation')
    .addHelpText('after', helpAboutAgreeing)
    .action(({ yes, dryRun, ...options }: ReplayOptions) =>
      run(async (session) => {
        const filter = await readCallbackFilter(session, options)
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
