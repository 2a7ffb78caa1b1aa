import { writeFile } from 'node:fs/promises'
import type { CommandContext } from '../command-context.ts'
import { allCases, chooseCases } from '../conformance/all-cases.ts'
import { takeCredentials } from '../conformance/credentials-file.ts'
import { parseListenAddress } from '../conformance/listen-address.ts'
import { type Pace, standardPace } from '../conformance/pace.ts'
import type { PlayedCase } from '../conformance/play-case.ts'
import { exitCodeOf, renderReport } from '../conformance/report.ts'
import type { ConformanceOutcome } from '../conformance/run-conformance.ts'
import { Failure, wrongUsage } from '../failure.ts'
import type { Parts } from '../program.ts'
import { renderTable } from '../table.ts'
import { collect, parseNumberFrom1 } from './option.ts'

type Flags = {
  credentials?: string
  case?: string[]
  list?: boolean
  report?: string
} & Pick<Pace, 'timeoutSeconds' | 'leaseSeconds' | 'retryAfterSeconds' | 'pollsPerSecondMax'>

/**
 * Adds the acceptance test of a provider's own client. It plays the platform's side, so it requires neither a platform
 * nor a sign-in.
 */
export function addCommands({ program, context }: Parts): void {
  program
    .command('provider-conformance')
    .description("runs acceptance cases against a print provider's client")
    .option(
      '--credentials <file>',
      "file with the client's credentials; created if it does not exist",
    )
    .option('--case <number>', 'only this case, such as C07; can be repeated', collect)
    .option('--list', 'list the cases and what each requires of the client')
    .option('--report <file>', 'file for the report with its evidence, as JSON')
    .option(
      '--timeout-seconds <number>',
      'time limit of a case, in seconds',
      parseNumberFrom1,
      standardPace.timeoutSeconds,
    )
    .option(
      '--lease-seconds <number>',
      'length of a lease in cases that let it expire, in seconds',
      parseNumberFrom1,
      standardPace.leaseSeconds,
    )
    .option(
      '--retry-after-seconds <number>',
      'Retry-After that the client receives, in seconds',
      parseNumberFrom1,
      standardPace.retryAfterSeconds,
    )
    .option(
      '--polls-per-second-max <number>',
      'maximum polls per second of the client',
      parseNumberFrom1,
      standardPace.pollsPerSecondMax,
    )
    .addHelpText('after', helpAboutConformance)
    .action(async (flags: Flags) => {
      const { baseUrl, json = false } = program.opts<{ baseUrl?: string; json?: boolean }>()
      if (flags.list) return context.print(json ? toJson(listedCases()) : renderCases())
      const outcome = await play(flags, baseUrl, context)
      const report = renderReport(outcome)
      if (flags.report) await writeReport(flags.report, toJson(report))
      context.print(json ? toJson(report) : renderOutcome(outcome))
      context.endWith(exitCodeOf(outcome))
    })
}

const helpAboutConformance = `
The kit listens on --base-url (a loopback or private address of this machine). Point your client at it, with the
credentials of the file: userName, password and apiKey. Start the kit first; each case offers one print run, one case
after the other. A case ends when everything is shown, on an error, or at its time limit.

Ends with 0 when no case failed, 1 when one did or it was interrupted, 2 when the command is wrong.
docs/provider-conformance.md says what each case proves and how the report is read.`

async function play(
  flags: Flags,
  baseUrl: string | undefined,
  context: CommandContext,
): Promise<ConformanceOutcome> {
  if (baseUrl === undefined) throw wrongUsage('--base-url is missing: where the kit is to listen')
  if (flags.credentials === undefined)
    throw wrongUsage('--credentials is missing: the name of a file')
  const { note } = context
  const listen = parseListenAddress(baseUrl)
  const cases = chooseCases(flags.case)
  const { credentials, isFresh } = await takeCredentials(flags.credentials)
  const { timeoutSeconds, leaseSeconds, retryAfterSeconds, pollsPerSecondMax } = flags
  const pace = {
    ...standardPace,
    timeoutSeconds,
    leaseSeconds,
    retryAfterSeconds,
    pollsPerSecondMax,
  }
  const interrupted = new AbortController()
  const stopListening = context.onInterrupt(() => interrupted.abort())
  try {
    // Loaded late, because it loads the services, which other commands do not use.
    const { runConformance } = await import('../conformance/run-conformance.ts')
    return await runConformance({
      listen,
      credentials,
      pace,
      cases,
      signal: interrupted.signal,
      onListening: (address) => {
        if (isFresh)
          note(`${flags.credentials} did not exist and was created with new credentials.`)
        note(`Listening on ${address}. Point your client at it. Ctrl-C stops it.\n`)
      },
      onCase: ({ id, title, expectation }, batchNumber) =>
        note(`${id}  ${title} (print run ${batchNumber})\n     ${expectation}`),
      onPlayed: (played) => note(`     ${writeVerdict(played)}\n`),
    })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'EADDRINUSE' && code !== 'EADDRNOTAVAIL' && code !== 'EACCES') throw error
    throw new Failure(`nothing can listen on ${baseUrl} (${code})`, { exitCode: 1, cause: error })
  } finally {
    stopListening()
  }
}

function writeVerdict({ verdict: { result, reason }, durationMs }: PlayedCase): string {
  const after = `after ${(durationMs / 1_000).toFixed(1)} s`
  return reason === '' ? `${result} ${after}` : `${result} ${after}: ${reason}`
}

function renderOutcome({ played, isInterrupted }: ConformanceOutcome): string {
  const rows = played.map(({ id, title, verdict: { result, reason } }) => [
    id,
    result,
    title,
    reason,
  ])
  const count = (result: string) => played.filter(({ verdict }) => verdict.result === result).length
  const [passed, failed, notShown] = [count('PASS'), count('FAIL'), count('NOT SHOWN')]
  return [
    renderTable(['case', 'result', 'what', 'why'], rows),
    '',
    `${passed} passed, ${failed} failed, ${notShown} not shown.${isInterrupted ? ' Interrupted.' : ''}`,
  ].join('\n')
}

function listedCases() {
  return allCases.map(({ id, title, expectation }) => ({ id, title, expectation }))
}

function renderCases(): string {
  return listedCases()
    .map(({ id, title, expectation }) => `${id}  ${title}\n     ${expectation}`)
    .join('\n')
}

async function writeReport(path: string, text: string): Promise<void> {
  await writeFile(path, `${text}\n`).catch((error: NodeJS.ErrnoException) => {
    throw new Failure(`${path} cannot be written (${error.code})`, { exitCode: 1, cause: error })
  })
}

function toJson(document: unknown): string {
  return JSON.stringify(document, null, 2)
}
