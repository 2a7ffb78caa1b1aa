import { Command } from 'commander'
import { addAuditCommands } from './commands/audit.ts'
import { addCallbackCommands } from './commands/callbacks.ts'
import { addConsumerCommands } from './commands/consumers.ts'
import { addContractCommands } from './commands/contracts.ts'
import { addEnquiryCommands } from './commands/enquiries.ts'
import { addKeyCommands } from './commands/keys.ts'
import { addPlanCommands } from './commands/plans.ts'
import { addProviderConformanceCommand } from './commands/provider-conformance.ts'
import { addProviderCommands } from './commands/providers.ts'
import { addRecordCommands } from './commands/records.ts'
import { addReprintCommands } from './commands/reprints.ts'
import { addRightsCommands } from './commands/rights.ts'
import { addRunCommands } from './commands/runs.ts'
import { addStockCommands } from './commands/stock.ts'
import { type Session, signIn } from './session.ts'
import { type AddressOptions, readSettings } from './settings.ts'
import type { Surroundings } from './surroundings.ts'

/** What a command has to say: as one document for scripts, as text for people. Ends with 0 unless it says otherwise. */
export type Told = { document: unknown; text: string; exitCode?: number }

/** Runs what a command does in a session, and prints what it tells. */
export type Run = (work: (session: Session) => Promise<Told>) => Promise<void>

type GlobalOptions = AddressOptions & { json?: boolean }

/** The commands of an operator. Parsing throws a CommanderError for wrong usage and a Failure for what is refused. */
export function createProgram(surroundings: Surroundings): Command {
  const program = new Command('despatch')
    .description(
      'Manages the consumers of a running Despatch, their credentials, contracts and usage plans, its print providers and their print runs, its callbacks and its records.',
    )
    .option('--json', 'print one JSON document')
    .option('--base-url <address>', 'where consumers call; else as in credentials.json')
    .option('--ops-url <address>', 'where operators call; else as in credentials.json')
    .addHelpText('after', helpAboutCredentials)
    .showHelpAfterError('(add --help for what can be given)')
    .exitOverride()

  const run: Run = async (work) => {
    const { json = false, ...addresses } = program.opts<GlobalOptions>()
    const session = await signIn(await readSettings(addresses, surroundings))
    const { document, text, exitCode } = await work(session)
    surroundings.print(json ? JSON.stringify(document, null, 2) : text)
    if (exitCode !== undefined) surroundings.endWith(exitCode)
  }
  const consumers = program.command('consumers').description('who may call')
  addConsumerCommands(consumers, run, surroundings)
  addRightsCommands(consumers, run)
  addContractCommands(program, run)
  addPlanCommands(program, run)
  addProviderCommands(program, run)
  addRunCommands(program, run)
  addReprintCommands(program, run)
  addStockCommands(program, run)
  addCallbackCommands(program, run, surroundings)
  addAuditCommands(program, run)
  addEnquiryCommands(program, run, surroundings)
  addKeyCommands(program, run)
  addRecordCommands(program, run, surroundings)
  addProviderConformanceCommand(program, surroundings)
  return program
}

const helpAboutCredentials = `
Addresses and the operator's credentials are those of credentials.json in DESPATCH_DATA_DIR (.despatch).
For another Despatch give --base-url and --ops-url, and set DESPATCH_USER_NAME, DESPATCH_PASSWORD and DESPATCH_API_KEY.

Ends with 0 when it is done, 1 when it was refused or nobody answers, 2 when the command is wrong.`
