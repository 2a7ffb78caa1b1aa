import type {
  ContractResponse,
  ContractsResponse,
  PutContractRequest,
} from '@despatch/contracts/administration/contract'
import type { ContractPreviewResponse } from '@despatch/contracts/administration/contract-change'
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
import { type Language, languages } from '@despatch/templates/language'
import { InvalidArgumentError } from 'commander'
import { countOf } from '../count-of.ts'
import { findConsumerId } from '../find-consumer.ts'
import { forRoles } from '../operation.ts'
import { addingTo } from '../operation-command.ts'
import type { Parts } from '../program.ts'
import { renderRows } from '../table.ts'
import { oneOf, parseWholeNumber, someOf } from './option.ts'

type AddOptions = {
  replace?: true
  asSupplied?: string
  handlingInstruction: boolean
  simplex?: true
  mono?: true
  callback?: string[]
  refuseRule?: string[]
  language?: Language[]
}

export function addCommands(parts: Parts): void {
  const { run, context } = parts
  const contracts = parts.program.command('contracts').description('terms agreed with a consumer')
  const add = addingTo(contracts, parts)

  add({
    usage: 'list <userName>',
    operation: 'listContracts',
    route: 'GET /consumers/:consumerId/contracts',
    does: 'lists the pairs of jobType and templateReference, including retired ones',
    text: ({ contracts }) => renderContracts(contracts),
  })

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
    .option(
      '--template <version>',
      'published version of a template, such as renewal@3, to make letters from',
    )
    .addOption(
      someOf(
        '--language <language>',
        'language of such a letter; can be repeated, in the order of printing',
        languages,
      ),
    )
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
    .option(
      '--callback-concurrency <number>',
      'callbacks that a receiver gets at once; default: 8',
      parseWholeNumber,
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
        const consumerId = await findConsumerId(session, userName)
        const listed = `/consumers/${consumerId}/contracts`
        const { contracts: known } = await session.send<ContractsResponse>('GET', listed)
        const existing = known.find(
          (one) => one.jobType === jobType && one.templateReference === reference,
        )
        const terms = termsOf(options)
        const path = contractPath(consumerId, jobType, reference)
        const preview = () =>
          session.send<ContractPreviewResponse>('POST', `${path}/preview`, terms)
        const changes = existing ? changesOf(existing, await preview()) : []
        if (changes.length > 0 && !options.replace) {
          context.note('despatch: nothing was changed: give --replace to replace these terms')
          const document = { contract: existing, changes }
          return { document, text: renderChanges(changes), exitCode: 2 }
        }
        const contract = await session.send<ContractResponse>('PUT', path, terms)
        const replaced = changes.length > 0 ? `${renderChanges(changes)}\n\n` : ''
        const text = `${replaced}Contract of ${userName}:\n\n${renderContracts([contract])}`
        return { document: contract, text }
      }),
    )

  add({
    usage: 'retire <userName> <jobType> <templateReference>',
    operation: 'retireContract',
    route: 'DELETE /consumers/:consumerId/contracts/:jobType/:templateReference',
    does: 'accepts no more print jobs of a pair; existing ones continue',
    text: ({ jobType, templateReference }, { userName }) =>
      `Contract ${jobType} ${templateReference} of ${userName} is retired.`,
  })
}

const helpAboutReplacing = `
If the pair exists with other terms, the command shows the difference, changes nothing and exits with 2.
The last three options stay as they are in an existing pair if they are omitted. report accepts the print job with a warning.`

type Change = { term: string; now: unknown; given: unknown }

/** Returns the terms that would change, in the order of the contract. A retired contract becomes active again. */
function changesOf(existing: ContractResponse, { changes }: ContractPreviewResponse): Change[] {
  const { retiredAt } = existing
  const order = Object.keys(existing)
  const placeOf = ({ term }: Change) => (order.includes(term) ? order.indexOf(term) : order.length)
  const ends = { term: 'retiredAt', before: retiredAt, after: undefined }
  return [...changes, ends]
    .map(({ term, before, after }) => ({ term, now: before, given: after }))
    .filter(({ now, given }) => show(now) !== show(given))
    .toSorted((one, other) => placeOf(one) - placeOf(other))
}

function renderChanges(changes: readonly Change[]): string {
  return renderRows(changes, {
    term: 'term',
    now: ({ now }) => show(now),
    given: ({ given }) => show(given),
  })
}

function show(value: unknown): string {
  return [value ?? '-'].flat().toSorted().join(' ') || '-'
}

/** Returns what a new contract does, and what else it can do. */
function refusalHelp(name: RefusalTermName): string {
  return `report, refuse, or the day from which to refuse them; default: ${refusalTerms[name]}`
}

function parseRefusal(text: string): string {
  if (isRefusalTerm(text)) return text
  throw new InvalidArgumentError('It must be report, refuse, or a day such as 2027-02-01.')
}

export function renderContracts(contracts: readonly ContractResponse[]): string {
  return renderRows(contracts, {
    'job type': 'jobType',
    template: 'templateReference',
    production: describeProduction,
    printed: printedAs,
    pages: ({ pagesMax }) => `≤ ${pagesMax}`,
    rules: describeRules,
    callbacks: describeCallbacks,
    state: stateOf,
  })
}

function describeProduction(contract: ContractResponse): string {
  const { suppliedFileKey, production, template, templateLanguages = [] } = contract
  if (template) return `${production} from ${template} (${templateLanguages.join(', ')})`
  return suppliedFileKey ? `as supplied in ${suppliedFileKey}` : production
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

const usualConcurrency = 8

function describeCallbacks({
  callbackStatuses,
  callbackReturns,
  callbackOrder,
  callbackConcurrency,
}: ContractResponse): string {
  const events = [...callbackStatuses, ...(callbackReturns ? ['returns'] : [])].join(' ') || '-'
  if (callbackOrder === 'strict') return `${events} in strict order`
  return callbackConcurrency === usualConcurrency
    ? events
    : `${events} ${callbackConcurrency} at once`
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

/** Returns the terms that the options give. Those of the same name as their option are given as they are. */
function termsOf({
  replace: _,
  asSupplied,
  handlingInstruction,
  simplex,
  mono,
  callback,
  refuseRule,
  language,
  ...others
}: AddOptions): Partial<Record<keyof PutContractRequest, unknown>> {
  const terms = {
    production: asSupplied === undefined ? 'letter' : 'as-supplied',
    suppliedFileKey: asSupplied,
    printsHandlingInstruction: handlingInstruction,
    plex: simplex ? 'simplex' : 'duplex',
    colour: !mono,
    callbackStatuses: callback,
    refusedRules: refuseRule,
    templateLanguages: language,
    ...others,
  }
  return Object.fromEntries(Object.entries(terms).filter(([, value]) => value !== undefined))
}
