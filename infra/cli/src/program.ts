import { Command } from 'commander'
import { addAuditCommands } from './commands/audit.ts'
import { addBulkCommands } from './commands/bulk.ts'
import { addCallbackCommands } from './commands/callbacks.ts'
import { addCompletionCommand } from './commands/completion.ts'
import { addConsumerCommands } from './commands/consumers.ts'
import { addContractCommands } from './commands/contracts.ts'
import { addDoctorCommand } from './commands/doctor.ts'
import { addEnquiryCommands } from './commands/enquiries.ts'
import { addJobCommands } from './commands/jobs.ts'
import { addKeyCommands } from './commands/keys.ts'
import { addPlanCommands } from './commands/plans.ts'
import { addProviderConformanceCommand } from './commands/provider-conformance.ts'
import { addProviderCommands } from './commands/providers.ts'
import { addQueueCommands } from './commands/queues.ts'
import { addRecordCommands } from './commands/records.ts'
import { addReprintCommands } from './commands/reprints.ts'
import { addRightsCommands } from './commands/rights.ts'
import { addRunCommands } from './commands/runs.ts'
import { addStockCommands } from './commands/stock.ts'
import { addVolumeCommand } from './commands/volumes.ts'
import { type ConsumerSession, type Session, signIn, signInAsConsumer } from './session.ts'
import { type AddressOptions, readConsumerSettings, readSettings } from './settings.ts'
import type { Surroundings } from './surroundings.ts'

/** The result of a command: a document for scripts and text for people. Default exit code: 0. */
export type Told = { document: unknown; text: string; exitCode?: number }

/** Runs a command's work in a session and prints its result. */
export type Run = (work: (session: Session) => Promise<Told>) => Promise<void>

/** The same for a consumer's command. */
export type RunAsConsumer = (work: (session: ConsumerSession) => Promise<Told>) => Promise<void>

export type GlobalOptions = AddressOptions & { json?: boolean }

/** Creates the commands. Parsing throws a CommanderError for wrong usage and a Failure for a refusal. */
export function createProgram(surroundings: Surroundings): Command {
  const program = new Command('despatch')
    .description(
      'Submits and watches print jobs, and manages a running Despatch: print jobs, queues, consumers with their credentials, contracts and usage plans, print providers and their print runs, callbacks and records.',
    )
    .option('--json', 'print one JSON document')
    .option('--base-url <address>', 'base address for consumers; default: from credentials.json')
    .option('--ops-url <address>', 'base address for operators; default: from credentials.json')
    .addHelpText('after', helpAboutCredentials)
    .showHelpAfterError('(add --help for what can be given)')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void surroundings.output.write(text),
      writeErr: (text) => surroundings.note(text.replace(/\n$/, '')),
    })

  const run: Run = async (work) => {
    const { json = false, ...addresses } = program.opts<GlobalOptions>()
    const session = await signIn(await readSettings(addresses, surroundings))
    tell(await work(session), json)
  }
  const runAsConsumer: RunAsConsumer = async (work) => {
    const { json = false, ...addresses } = program.opts<GlobalOptions>()
    const session = await signInAsConsumer(await readConsumerSettings(addresses, surroundings))
    tell(await work(session), json)
  }
  const tell = ({ document, text, exitCode }: Told, json: boolean) => {
    if (json || text !== '') surroundings.print(json ? JSON.stringify(document, null, 2) : text)
    if (exitCode !== undefined) surroundings.endWith(exitCode)
  }
  const consumers = program.command('consumers').description('consumers that can call the APIs')
  addConsumerCommands(consumers, run, surroundings)
  addRightsCommands(consumers, run)
  addContractCommands(program, run)
  addPlanCommands(program, run)
  addProviderCommands(program, run)
  addJobCommands(program, { run, runAsConsumer, surroundings })
  addBulkCommands(program, run, surroundings)
  addRunCommands(program, run)
  addReprintCommands(program, run)
  addStockCommands(program, run)
  addCallbackCommands(program, run, surroundings)
  addQueueCommands(program, run, surroundings)
  addAuditCommands(program, run)
  addEnquiryCommands(program, run, surroundings)
  addKeyCommands(program, run)
  addRecordCommands(program, run, surroundings)
  addVolumeCommand(program, run)
  addProviderConformanceCommand(program, surroundings)
  addDoctorCommand(program, surroundings)
  addCompletionCommand(program, surroundings)
  return program
}

const helpAboutCredentials = `
Addresses and the operator's credentials are those of credentials.json in DESPATCH_DATA_DIR (.despatch).
For another installation, give --base-url and --ops-url, and set DESPATCH_USER_NAME, DESPATCH_PASSWORD and DESPATCH_API_KEY.

Print jobs are submitted and watched as the consumer in that file or in those variables.

Exit codes: 0 success, 1 the request was refused or there was no response, 2 wrong usage, 130 interrupted. jobs watch: 3 the
print job was rejected, 4 it has not ended in time.`
