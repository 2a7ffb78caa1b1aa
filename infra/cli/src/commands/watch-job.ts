import { setTimeout as pause } from 'node:timers/promises'
import type { PrintJobEventsResponse } from '@despatch/contracts/print-request/print-job-events'
import { isFinal, type PrintJobStatus } from '@despatch/domain/print-job/status'
import type { Command } from 'commander'
import { renderEvent } from '../jobs/render-print-job.ts'
import type { Parts } from '../program.ts'
import type { ConsumerSession } from '../session.ts'
import { printable } from '../table.ts'
import { parseNumberFrom1 } from './option.ts'

const pollMs = 1_000
const timeoutSeconds = 600
const rejectedExitCode = 3
const timeoutExitCode = 4

type Timeline = PrintJobEventsResponse & { status: PrintJobStatus | undefined }

/** Adds the command by which a consumer follows a print job to its end. */
export function addWatchJob(jobs: Command, { runAsConsumer, context }: Parts): void {
  const { note, onInterrupt } = context

  jobs
    .command('watch <id>')
    .description('as a consumer: shows the progress of a print job until it ends')
    .option(
      '--timeout <seconds>',
      'maximum time to wait, in seconds',
      parseNumberFrom1,
      timeoutSeconds,
    )
    .addHelpText('after', helpAboutEnding)
    .action((id: string, { timeout }: { timeout: number }, command: Command) =>
      runAsConsumer(async (session) => {
        const isQuiet = Boolean(command.optsWithGlobals().json)
        const interrupt = new AbortController()
        const stopListening = onInterrupt(() => interrupt.abort())
        const print = (line: string) => (isQuiet ? undefined : context.print(printable(line)))
        try {
          const deadline = performance.now() + timeout * 1000
          const { signal } = interrupt
          const timeline = await follow(session, id, { pollMs, deadline, signal, print })
          const exitCode = signal.aborted ? 130 : exitCodeOf(timeline.status)
          if (exitCode === timeoutExitCode) note(`despatch: not ended after ${timeout} s`)
          return { document: timeline, text: '', exitCode }
        } finally {
          stopListening()
        }
      }),
    )
}

const helpAboutEnding = `
Exits with 0 when it is DESPATCHED, with 3 when it is REJECTED, with 4 on a timeout, with 1 when it does not exist.`

type Follow = {
  pollMs: number
  /** In the time of performance.now(). */
  deadline: number
  signal: AbortSignal
  print: (line: string) => void
}

/** Reports each event once, until the status is final or the time is over. */
export async function follow(
  { send }: ConsumerSession,
  id: string,
  { pollMs, deadline, signal, print }: Follow,
): Promise<Timeline> {
  const path = `/print/jobs/${encodeURIComponent(id)}/events`
  let printed = 0
  for (;;) {
    const timeline = await send<PrintJobEventsResponse>('GET', path)
    for (const event of timeline.events.slice(printed)) print(renderEvent(event))
    printed = Math.max(printed, timeline.events.length)
    const status = timeline.events.at(-1)?.status
    const leftMs = deadline - performance.now()
    if (leftMs <= 0 || signal.aborted || (status !== undefined && isFinal(status))) {
      return { ...timeline, status }
    }
    await pause(Math.min(pollMs, leftMs), undefined, { signal }).catch(() => {})
  }
}

/** Returns the exit code for the last status found. */
export function exitCodeOf(status: PrintJobStatus | undefined): number {
  if (status === 'DESPATCHED') return 0
  return status === 'REJECTED' ? rejectedExitCode : timeoutExitCode
}
