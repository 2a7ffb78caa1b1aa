import type { CallbackWithLogResponse } from '@despatch/contracts/print-request/callback'
import type { Command } from 'commander'
import { explain } from '../failure.ts'
import { followCallbacks } from '../listen/follow-callbacks.ts'
import { type Forwarded, forwardMessage, renderForwarded } from '../listen/forward-message.ts'
import { keepReceiver, readReceiver } from '../listen/receiver.ts'
import type { Parts } from '../program.ts'
import { printable } from '../table.ts'
import { parseWholeNumber } from './option.ts'

const pollMs = 1_000
const forwardedMax = 1_000

/** Adds the command that sends copies of callbacks to a receiver under development. */
export function addCommands({ program, runAsConsumer, context }: Parts): void {
  program
    .command('listen')
    .description(
      'as a consumer: sends a copy of each of your callbacks to a receiver on this machine, until Ctrl-C',
    )
    .option('--to <address>', 'address of your receiver; default: the one of the last call')
    .option(
      '--replay <number>',
      'first send your last callbacks again, at most 100',
      parseWholeNumber,
      0,
    )
    .addHelpText('after', helpAboutCopies)
    .action(({ to, replay }: { to?: string; replay: number }, command: Command) =>
      runAsConsumer(async (session) => {
        const receiver = await readReceiver(to, context)
        const isQuiet = Boolean(command.optsWithGlobals().json)
        const interrupt = new AbortController()
        const stopListening = context.onInterrupt(() => interrupt.abort())
        const forwarded: Forwarded[] = []
        let lastFailure = ''
        try {
          await followCallbacks(session, {
            replay: Math.min(replay, 100),
            pollMs,
            signal: interrupt.signal,
            onStart: async () => {
              await keepReceiver(receiver, context)
              context.note(renderStart(receiver.to, receiver.secret))
            },
            report: async (callback) => {
              const result = await forwardMessage(messageOf(callback), receiver, interrupt.signal)
              forwarded.splice(0, forwarded.length + 1 - forwardedMax)
              forwarded.push(result)
              if (!isQuiet) context.print(printable(renderLine(callback, result)))
            },
            onFailure: (error) => {
              const failure = explain(error)
              if (kindOf(failure) !== kindOf(lastFailure)) context.note(failure)
              lastFailure = failure
            },
            onLeftOut: (failure) => context.note(explain(failure)),
            onLook: () => {
              if (lastFailure) context.note('Despatch responds again.')
              lastFailure = ''
            },
          })
        } finally {
          stopListening()
        }
        return { document: { to: receiver.to, forwarded }, text: '' }
      }),
    )
}

const helpAboutCopies = `
Despatch still calls the target of each print job. The receiver gets a copy, once, with the same id and body and with the headers of
Despatch, but without your authenticationHeader. The signature is made with the secret that the command prints, which is for this
machine only and stays the same. A callback that is sent again is copied again if it is among the newest 100. Callbacks exist for
print jobs with callbackParams; \`trigger\` sends examples without any. The document of --json follows at the end, with the last
1,000 results.`

/** Two failures are of one kind if only their error ids differ. */
function kindOf(failure: string): string {
  return failure.replace(/[\da-f]{8}[\da-f-]*/g, '')
}

function renderStart(to: string, secret: string): string {
  return [
    `Sends copies of your callbacks to ${to}. Ctrl-C ends it.`,
    'Only print jobs with callbackParams have callbacks: `npx despatch jobs submit … --callback <address>`.',
    `Secret of your receiver: ${secret}`,
  ].join('\n')
}

function messageOf({ callbackId, message }: CallbackWithLogResponse) {
  const { correlationId = '' } = (message.metadata ?? {}) as { correlationId?: string }
  return { id: callbackId, body: Buffer.from(JSON.stringify(message)), correlationId }
}

function renderLine(callback: CallbackWithLogResponse, result: Forwarded): string {
  const { callbackId, kind, jobStatus, jobId = '-', createdAt } = callback
  return `${createdAt}  ${callbackId}  ${jobStatus ?? kind}  ${jobId}  ${renderForwarded(result)}`
}
