import { Command, CommanderError } from 'commander'
import type { CommandContext } from './command-context.ts'
import { addAuditCommands } from './commands/audit.ts'
import { addBulkCommands } from './commands/bulk.ts'
import { addCallbackCommands } from './commands/callbacks.ts'
import { addCompletionCommand } from './commands/completion.ts'
import { addConsumerCommands } from './commands/consumers.ts'
import { addContractCommands } from './commands/contracts.ts'
import { addDoctorCommand } from './commands/doctor.ts'
import { addEnquiryCommands } from './commands/enquiries.ts'
import { addHelpCommand } from './commands/help.ts'
import { addInitCommand } from './commands/init.ts'
import { addJobCommands } from './commands/jobs.ts'
import { addKeyCommands } from './commands/keys.ts'
import { addListenCommand } from './commands/listen.ts'
import { addPlanCommands } from './commands/plans.ts'
import { addProviderConformanceCommand } from './commands/provider-conformance.ts'
import { addProviderCommands } from './commands/providers.ts'
import { addQueueCommands } from './commands/queues.ts'
import { addRecordCommands } from './commands/records.ts'
import { addReprintCommands } from './commands/reprints.ts'
import { addRightsCommands } from './commands/rights.ts'
import { addRunCommands } from './commands/runs.ts'
import { addStockCommands } from './commands/stock.ts'
import { addTriggerCommand } from './commands/trigger.ts'
import { addVolumeCommand } from './commands/volumes.ts'
import { describeVersions } from './describe-versions.ts'
import { failureDocument } from './failure.ts'
import { type ConsumerSession, type Session, signIn, signInAsConsumer } from './session.ts'
import { type AddressOptions, readConsumerSettings, readSettings } from './settings.ts'

/** The result of a command: a document for scripts and text for people. Default exit code: 0. */
export type CommandOutput = {
  document: unknown
  text: string
  exitCode?: number
  /** Why the command did nothing. It is printed on standard error. */
  refusal?: string
}

/** Runs a command's work in a session and prints its result. */
export type Run = (work: (session: Session) => Promise<CommandOutput>) => Promise<void>

/** The same for a consumer's command. */
export type RunAsConsumer = (
  work: (session: ConsumerSession) => Promise<CommandOutput>,
) => Promise<void>

export type GlobalOptions = AddressOptions & { json?: boolean }

/**
 * Creates the commands. Parsing throws a CommanderError for wrong usage and a Failure for a refusal. The parser explains
 * wrong usage on standard error, unless `isJson`.
 */
export function createProgram(context: CommandContext, isJson = false): Command {
  const program = new Command('despatch')
    .description(
      'Submits and watches print jobs, and manages a running Despatch: print jobs, queues, consumers with their credentials, contracts and usage plans, print providers and their print runs, callbacks and records.',
    )
    .option(
      '--json',
      'print one JSON document, and an error as one JSON document on standard error',
    )
    .option('-V, --version', 'print the versions of the system and of its interfaces')
    .on('option:version', () => {
      context.print(describeVersions(context.root, isJson))
      throw new CommanderError(0, 'commander.version', '')
    })
    .option('--base-url <address>', 'base address for consumers; default: from credentials.json')
    .option('--ops-url <address>', 'base address for operators; default: from credentials.json')
    .addHelpText('after', helpAboutCredentials)
    .showHelpAfterError('(see --help)')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void context.output.write(text),
      writeErr: (text) => {
        if (!isJson) context.note(text.replace(/\n$/, ''))
      },
    })

  const run: Run = async (work) => {
    const { json = false, ...addresses } = program.opts<GlobalOptions>()
    const session = await signIn(await readSettings(addresses, context))
    writeOutput(await work(session), json)
  }
  const runAsConsumer: RunAsConsumer = async (work) => {
    const { json = false, ...addresses } = program.opts<GlobalOptions>()
    const session = await signInAsConsumer(await readConsumerSettings(addresses, context))
    writeOutput(await work(session), json)
  }
  const writeOutput = ({ document, text, exitCode, refusal }: CommandOutput, json: boolean) => {
    if (json || text !== '') context.print(json ? JSON.stringify(document, null, 2) : text)
    if (refusal) {
      context.note(json ? failureDocument(refusal, exitCode ?? 1) : `despatch: ${refusal}`)
    }
    if (exitCode !== undefined) context.endWith(exitCode)
  }
  addInitCommand(program, run, context)
  addListenCommand(program, runAsConsumer, context)
  addTriggerCommand(program, context)
  const consumers = program.command('consumers').description('consumers that can call the APIs')
  addConsumerCommands(consumers, run, context)
  addRightsCommands(consumers, run)
  addContractCommands(program, run, context)
  addPlanCommands(program, run)
  addProviderCommands(program, run)
  addJobCommands(program, { run, runAsConsumer, context })
  addBulkCommands(program, run, context)
  addRunCommands(program, run, context)
  addReprintCommands(program, run, context)
  addStockCommands(program, run, context)
  addCallbackCommands(program, run, context)
  addQueueCommands(program, run, context)
  addAuditCommands(program, run)
  addEnquiryCommands(program, run, context)
  addKeyCommands(program, run)
  addRecordCommands(program, run, context)
  addVolumeCommand(program, run)
  addProviderConformanceCommand(program, context)
  addDoctorCommand(program, context)
  addCompletionCommand(program, context)
  addHelpCommand(program)
  return program
}

const helpAboutCredentials = `
Addresses and the operator's credentials are those of credentials.json in DESPATCH_DATA_DIR (.despatch).
For another installation, give --base-url and --ops-url, and set DESPATCH_USER_NAME, DESPATCH_PASSWORD and DESPATCH_API_KEY.

Print jobs are submitted and watched, and callbacks are followed, as the consumer in that file or in those variables.

Exit codes: 0 success, 1 the request was refused or there was no response, 2 wrong usage, 130 interrupted. jobs watch: 3 the
print job was rejected, 4 it has not ended in time.`
