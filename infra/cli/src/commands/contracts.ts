import type {
  ContractResponse,
  ContractsResponse,
  PutContractRequest,
} from '@despatch/contracts/administration/contract'
import { callbackOrders } from '@despatch/domain/callback/callback-state'
import {
  isRefusalTerm,
  type RefusalTermName,
  refusalTermNames,
  refusalTerms,
} from '@despatch/domain/contract/refusal-term'
import { choosableRules } from '@despatch/domain/preflight/contract-choice'
import { printJobStatuses } from '@despatch/domain/print-job/status'
import { plainStationery } from '@despatch/domain/print-run/capabilities'
import { type Command, InvalidArgumentError } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { countOf } from '../count-of.ts'
import { findConsumer } from '../find-consumer.ts'
import type { Run } from '../program.ts'
import type { Session } from '../session.ts'
import { renderTable } from '../table.ts'
import { forRoles } from './for-roles.ts'
import { oneOf, parseWholeNumber, someOf } from './option.ts'

type AddOptions = {
  replace?: true
  asSupplied?: string
  handlingInstruction: boolean
  simplex?: boolean
  mono?: boolean
  pagesMax?: number
  callback?: string[]
  ruleSet?: string
  addressPlacement?: string
  marks: boolean
  stationery?: string
  templateData?: true
  callbackReturns?: true
  callbackOrder?: string
  holdForApproval?: true
  retentionDays?: number
  strict?: true
  refuseRule?: string[]
} & { [Name in RefusalTermName]?: string }

export function addContractCommands(program: Command, run: Run, context: CommandContext): void {
  const contracts = program.command('contracts').description('terms agreed with a consumer')

  contracts
    .command('list <userName>')
    .description('lists the pairs of jobType and templateReference, including retired ones')
    .action((userName: string) =>
      run(async (session) => {
        const { consumerId } = await findConsumer(session, userName)
        const listed = await listContracts(session, consumerId)
        return { document: listed, text: renderContracts(listed.contracts) }
      }),
    )

  contracts
    .command('add <userName> <jobType> <templateReference>')
    .description(
      forRoles(
        'putContract',
        'adds a pair; omitted options have their defaults. Replaces the terms of an existing pair only with --replace',
      ),
    )
    .option('--replace', 'replace the terms of an existing pair, all of them')
    .option('--as-supplied <key>', 'print the PDF of this custom parameter or file unchanged')
    .option('--no-handling-instruction', 'do not print handling instructions on the letter')
    .option('--simplex', 'print on one side of the sheet; default: both')
    .option('--mono', 'print in black; default: in colour')
    .option('--pages-max <number>', 'maximum pages of a letter; default: 100', parseWholeNumber)
    .addOption(
      someOf(
        '--callback <status>',
        'status to send callbacks for, instead of DESPATCHED and REJECTED; can be repeated',
        printJobStatuses,
      ),
    )
    .option('--rule-set <id>', 'preflight rule set, such as window-letter-2026-11')
    .option(
      '--address-placement <where>',
      'own-page or first-page (of the files); default: own-page',
    )
    .option('--no-marks', 'do not print insertion marks and the address barcode on the letter')
    .option('--stationery <name>', 'stationery of the letter; default: A4-PLAIN')
    .option('--template-data', 'send the custom parameters to the provider, for a template')
    .option('--callback-returns', 'send callbacks for returned letters')
    .addOption(
      oneOf(
        '--callback-order <order>',
        'strict: send all callbacks of the pair one at a time; default: print-job',
        callbackOrders,
      ),
    )
    .option('--hold-for-approval', 'hold its print jobs until they are released')
    .option(
      '--retention-days <number>',
      'days that personal data is kept after a print job ends',
      parseWholeNumber,
    )
    .option('--strict', 'refuse letters for every finding about the address')
    .addOption(
      someOf(
        '--refuse-rule <number>',
        'rule of the address whose findings refuse a letter; can be repeated',
        choosableRules,
      ),
    )
    .option(
      '--unknown-members <what>',
      `members that the API does not know: ${refusalHelp('unknownMembers')}`,
      parseRefusal,
    )
    .option(
      '--unreadable-files <what>',
      `values that look like a file and cannot be printed: ${refusalHelp('unreadableFiles')}`,
      parseRefusal,
    )
    .option(
      '--letters-without-file <what>',
      `letters of which only the address page is printed: ${refusalHelp('lettersWithoutFile')}`,
      parseRefusal,
    )
    .addHelpText('after', helpAboutReplacing)
    .action((userName: string, jobType: string, reference: string, options: AddOptions) =>
      run(async (session) => {
        const { consumerId } = await findConsumer(session, userName)
        const { contracts: known } = await listContracts(session, consumerId)
        const existing = known.find(
          (one) => one.jobType === jobType && one.templateReference === reference,
        )
        const terms = termsOf(options)
        // the schema of the terms takes longer to load than the other commands take
        const { changesOf, renderChanges } = await import('./contract-changes.ts')
        const changes = existing ? changesOf(existing, terms) : []
        if (changes.length > 0 && !options.replace) {
          context.note('despatch: nothing was changed: give --replace to replace these terms')
          const document = { contract: existing, changes }
          return { document, text: renderChanges(changes), exitCode: 2 }
        }
        const path = contractPath(consumerId, jobType, reference)
        const contract = await session.send<ContractResponse>('PUT', path, terms)
        const replaced = changes.length > 0 ? `${renderChanges(changes)}\n\n` : ''
        const text = `${replaced}Contract of ${userName}:\n\n${renderContracts([contract])}`
        return { document: contract, text }
      }),
    )

  contracts
    .command('retire <userName> <jobType> <templateReference>')
    .description(
      forRoles('retireContract', 'accepts no more print jobs of a pair; existing ones continue'),
    )
    .action((userName: string, jobType: string, reference: string) =>
      run(async (session) => {
        const { consumerId } = await findConsumer(session, userName)
        const path = contractPath(consumerId, jobType, reference)
        const contract = await session.send<ContractResponse>('DELETE', path)
        const text = `Contract ${jobType} ${reference} of ${userName} is retired.`
        return { document: contract, text }
      }),
    )
}

const helpAboutReplacing = `
If the pair exists with other terms, the command shows the difference, changes nothing and exits with 2.
The last three options stay as they are in an existing pair if they are omitted. report accepts the print job with a warning.`

/** Returns what a new contract does, and what else it can do. */
function refusalHelp(name: RefusalTermName): string {
  return `report, refuse, or the day from which to refuse them; default: ${refusalTerms[name]}`
}

function parseRefusal(text: string): string {
  if (isRefusalTerm(text)) return text
  throw new InvalidArgumentError('It must be report, refuse, or a day such as 2027-02-01.')
}

function listContracts({ send }: Session, consumerId: string): Promise<ContractsResponse> {
  return send<ContractsResponse>('GET', `/consumers/${consumerId}/contracts`)
}

export function renderContracts(contracts: readonly ContractResponse[]): string {
  const header = [
    'job type',
    'template',
    'production',
    'printed',
    'pages',
    'rules',
    'callbacks',
    'state',
  ]
  const rows = contracts.map((contract) => [
    contract.jobType,
    contract.templateReference,
    contract.suppliedFileKey ? `as supplied in ${contract.suppliedFileKey}` : contract.production,
    printedAs(contract),
    `≤ ${contract.pagesMax}`,
    describeRules(contract),
    describeCallbacks(contract),
    stateOf(contract),
  ])
  return renderTable(header, rows)
}

function stateOf({ retiredAt, holdForApproval, retentionDays }: ContractResponse): string {
  return [
    ...(holdForApproval ? ['held for approval'] : []),
    ...(retentionDays === undefined ? [] : [`kept for ${countOf(retentionDays, 'day')}`]),
    retiredAt ? 'retired' : 'in use',
  ].join(', ')
}

function describeRules(contract: ContractResponse): string {
  const { ruleSet, strict, refusedRules } = contract
  const refused = refusalTermNames.flatMap((name) => {
    const term = contract[name]
    if (term === 'report') return []
    return term === 'refuse' ? [refusalNames[name]] : [`${refusalNames[name]} from ${term}`]
  })
  if (!strict && refusedRules.length > 0) refused.unshift(refusedRules.join(' '))
  return [
    ruleSet,
    ...(strict ? ['strict'] : []),
    ...(refused.length > 0 ? [`refuses ${refused.join(', ')}`] : []),
  ].join(', ')
}

const refusalNames: Record<RefusalTermName, string> = {
  unknownMembers: 'unknown members',
  unreadableFiles: 'unreadable files',
  lettersWithoutFile: 'letters without a file',
}

function describeCallbacks({
  callbackStatuses,
  callbackReturns,
  callbackOrder,
}: ContractResponse): string {
  const events = [...callbackStatuses, ...(callbackReturns ? ['returns'] : [])].join(' ') || '-'
  return callbackOrder === 'strict' ? `${events} in strict order` : events
}

function printedAs(contract: ContractResponse) {
  const { plex, colour, production, addressPlacement, marks, stationery, templateData } = contract
  const isLetter = production === 'letter'
  return [
    plex,
    colour ? 'colour' : 'mono',
    ...(stationery === plainStationery ? [] : [`on ${stationery}`]),
    ...(templateData ? ['from a template'] : []),
    ...(isLetter && addressPlacement === 'first-page' ? ['address on first page'] : []),
    ...(isLetter && !marks ? ['no marks'] : []),
  ].join(' ')
}

/** Returns the path of a contract below /administration/v1. */
export function contractPath(
  consumerId: string,
  jobType: string,
  templateReference: string,
): string {
  const pair = [jobType, templateReference].map(encodeURIComponent).join('/')
  return `/consumers/${consumerId}/contracts/${pair}`
}

function termsOf(options: AddOptions): Partial<Record<keyof PutContractRequest, unknown>> {
  const { asSupplied, handlingInstruction, simplex, mono, pagesMax, callback } = options
  const {
    ruleSet,
    addressPlacement,
    marks,
    stationery,
    templateData,
    callbackReturns,
    callbackOrder,
    holdForApproval,
    retentionDays,
    strict,
    refuseRule,
    unknownMembers,
    unreadableFiles,
    lettersWithoutFile,
  } = options
  return {
    ...(asSupplied === undefined
      ? { production: 'letter' }
      : { production: 'as-supplied', suppliedFileKey: asSupplied }),
    printsHandlingInstruction: handlingInstruction,
    plex: simplex ? 'simplex' : 'duplex',
    colour: !mono,
    ...(pagesMax !== undefined && { pagesMax }),
    ...(callback && { callbackStatuses: callback }),
    ...(ruleSet !== undefined && { ruleSet }),
    ...(addressPlacement !== undefined && { addressPlacement }),
    marks,
    ...(stationery !== undefined && { stationery }),
    ...(templateData && { templateData }),
    ...(callbackReturns && { callbackReturns }),
    ...(callbackOrder !== undefined && { callbackOrder }),
    ...(holdForApproval && { holdForApproval }),
    ...(retentionDays !== undefined && { retentionDays }),
    ...(strict && { strict }),
    ...(refuseRule && { refusedRules: refuseRule }),
    ...(unknownMembers !== undefined && { unknownMembers }),
    ...(unreadableFiles !== undefined && { unreadableFiles }),
    ...(lettersWithoutFile !== undefined && { lettersWithoutFile }),
  }
}
