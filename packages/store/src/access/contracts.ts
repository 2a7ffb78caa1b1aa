import type { CallbackOrder } from '@despatch/domain/callback/callback-state'
import type { RefusalTerm } from '@despatch/domain/contract/refusal-term'
import type { PrintJobStatus } from '@despatch/domain/print-job/status'
import type { Db } from '../database.ts'
import type { AddressPlacement, Production } from '../schema-contract.ts'
import type { Plex } from '../schema-fulfilment.ts'

/** The terms for one pair of jobType and templateReference of a consumer. */
export type Contract = {
  id: string
  jobType: string
  templateReference: string
  production: Production
  /** The custom parameter or file that holds the PDF to be printed as supplied. */
  suppliedFileKey: string | null
  printsHandlingInstruction: boolean
  plex: Plex
  colour: boolean
  pagesMax: number
  callbackStatuses: PrintJobStatus[]
  /** The id of a preflight rule set. */
  ruleSet: string
  addressPlacement: AddressPlacement
  /** Whether letters that Despatch composes carry the insertion mark and the address barcode. */
  marks: boolean
  /** The paper, by the name that sites use. */
  stationery: string
  /** Whether the provider receives the custom parameters, for a template that it fills. */
  templateData: boolean
  /** Whether the consumer gets a callback for a returned letter. */
  callbackReturns: boolean
  /** What a callback waits for: earlier callbacks of its print job, or of the whole contract. */
  callbackOrder: CallbackOrder
  /** How many of its callbacks an origin gets at once. */
  callbackConcurrency: number
  /** Whether its print jobs are held until somebody releases them. */
  holdForApproval: boolean
  /** How long personal data is kept after a print job ends, in days. Null: the deployment's default. */
  retentionDays: number | null
  /** Whether a letter is refused for every finding that a contract may choose. */
  strict: boolean
  /** The numbers of the rules whose findings refuse a letter. */
  refusedRules: string[]
  /** Members of a request that the API does not know. */
  unknownMembers: RefusalTerm
  /** Values that look like a file and cannot be printed as one. */
  unreadableFiles: RefusalTerm
  /** Letters of which only the address page would be printed. */
  lettersWithoutFile: RefusalTerm
  /** The version of a template that its letters are made from, such as `renewal@3`. Null: they are files. */
  template: string | null
  /** The languages of a letter from the template, in the order in which they are printed. */
  templateLanguages: string[] | null
}

export type ListedContract = Contract & { retiredAt: Date | null }

/** Lists the contracts under which new print jobs may be created. */
export async function listContracts(db: Db, consumerId: string): Promise<ListedContract[]> {
  const rows = await selectContracts(db)
    .where('consumer_id', '=', consumerId)
    .where('retired_at', 'is', null)
    .execute()
  return rows.map(toContract)
}

export const contractColumns = [
  'id',
  'job_type',
  'template_reference',
  'production',
  'supplied_file_key',
  'prints_handling_instruction',
  'plex',
  'colour',
  'pages_max',
  'callback_statuses',
  'rule_set',
  'address_placement',
  'marks',
  'stationery',
  'template_data',
  'callback_returns',
  'callback_order',
  'callback_concurrency',
  'hold_for_approval',
  'retention_days',
  'strict',
  'refused_rules',
  'unknown_members',
  'unreadable_files',
  'letters_without_file',
  'template',
  'template_languages',
  'retired_at',
] as const

export function selectContracts(db: Db) {
  return db.selectFrom('contract').select(contractColumns)
}

type Row = NonNullable<Awaited<ReturnType<ReturnType<typeof selectContracts>['executeTakeFirst']>>>

export function toContract(row: Row): ListedContract {
  return {
    id: row.id,
    jobType: row.job_type,
    templateReference: row.template_reference,
    production: row.production,
    suppliedFileKey: row.supplied_file_key,
    printsHandlingInstruction: row.prints_handling_instruction,
    plex: row.plex,
    colour: row.colour,
    pagesMax: row.pages_max,
    callbackStatuses: row.callback_statuses,
    ruleSet: row.rule_set,
    addressPlacement: row.address_placement,
    marks: row.marks,
    stationery: row.stationery,
    templateData: row.template_data,
    callbackReturns: row.callback_returns,
    callbackOrder: row.callback_order,
    callbackConcurrency: row.callback_concurrency,
    holdForApproval: row.hold_for_approval,
    retentionDays: row.retention_days,
    strict: row.strict,
    refusedRules: row.refused_rules,
    unknownMembers: row.unknown_members,
    unreadableFiles: row.unreadable_files,
    lettersWithoutFile: row.letters_without_file,
    template: row.template,
    templateLanguages: row.template_languages,
    retiredAt: row.retired_at,
  }
}
