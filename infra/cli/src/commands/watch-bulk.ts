import { setTimeout as pause } from 'node:timers/promises'
import type {
  BulkActionDetailsResponse,
  BulkActionResponse,
} from '@despatch/contracts/administration/bulk-action'
import type { Command } from 'commander'
import { renderProgress } from '../bulk/render-bulk-action.ts'
import type { Parts } from '../program.ts'
import type { Session } from '../session.ts'
import { parseNumberFrom1 } from './option.ts'

const pollMs = 1_000
const timeoutSeconds = 600
const notAllExitCode = 3
const timeoutExitCode = 4

/** Adds the command that follows a bulk action to its end. */
export function addWatchBulk(bulk: Command, { run, context }: Parts): void {
  const { note, onInterrupt, print } = context

  bulk
    .command('watch <bulkActionId>')
    .description('shows the progress of a bulk action until it ends')
    .option(
      '--timeout <seconds>',
      'maximum time to wait, in seconds',
      parseNumberFrom1,
      timeoutSeconds,
    )
    .addHelpText('after', helpAboutEnding)
    .action((bulkActionId: string, { timeout }: { timeout: number }, command: Command) =>
      run(async (session) => {
        const isQuiet = Boolean(command.optsWithGlobals().json)
        const interrupt = new AbortController()
        const stopListening = onInterrupt(() => interrupt.abort())
        try {
          const found = await follow(session, bulkActionId, {
            deadline: performance.now() + timeout * 1_000,
            signal: interrupt.signal,
            print: (line) => (isQuiet ? undefined : print(line)),
          })
          const exitCode = interrupt.signal.aborted ? 130 : exitCodeOf(found)
          if (exitCode === timeoutExitCode) note(`despatch: not ended after ${timeout} s`)
          const document = isQuiet ? await session.send('GET', pathOf(bulkActionId)) : found
          return { document, text: '', exitCode }
        } finally {
          stopListening()
        }
      }),
    )
}

const helpAboutEnding = `
Exits with 0 when all is done, with 3 when it ended incomplete (refused, stopped, expired), with 4 on a timeout.`

type Follow = {
  /** In the time of performance.now(). */
  deadline: number
  signal: AbortSignal
  print: (line: string) => void
}

async function follow(
  session: Session,
  bulkActionId: string,
  { deadline, signal, print }: Follow,
): Promise<BulkActionDetailsResponse> {
  // only the progress is printed
  const path = `${pathOf(bulkActionId)}?limit=1`
  let printed = ''
  for (;;) {
    const found = await session.send<BulkActionDetailsResponse>('GET', path)
    const line = `${found.state}: ${renderProgress(found)}`
    if (line !== printed) print(line)
    printed = line
    const leftMs = deadline - performance.now()
    if (isFinal(found) || leftMs <= 0 || signal.aborted) return found
    await pause(Math.min(pollMs, leftMs), undefined, { signal }).catch(() => {})
  }
}

/** Returns the path of a bulk action in the API. */
export function pathOf(bulkActionId: string): string {
  return `/bulk-actions/${encodeURIComponent(bulkActionId)}`
}

function isFinal({ state }: BulkActionResponse): boolean {
  return state !== 'PLANNED' && state !== 'RUNNING'
}

/** Returns the exit code for the last state found. */
export function exitCodeOf(found: BulkActionResponse): number {
  if (!isFinal(found)) return timeoutExitCode
  return found.progress.done === found.printJobCount ? 0 : notAllExitCode
}
