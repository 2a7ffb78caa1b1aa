import type { CallbackOrder } from '@despatch/domain/callback/callback-state'
import type { PrintJobStatus } from '@despatch/domain/print-job/status'
import type { Db } from '../database.ts'
import type { AddressPlacement, Production } from '../schema.ts'
import type { Plex } from '../schema-fulfilment.ts'

/** What a consumer and we have agreed for a pair of jobType and templateReference. */
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
  /** The id of a rule set of preflight. */
  ruleSet: string
  addressPlacement: AddressPlacement
  /** Whether the insertion mark and the barcode of the address are printed on letters that we compose. */
  marks: boolean
  /** The paper, by the name that sites know it by. */
  stationery: string
  /** Whether the provider is given the custom parameters, for a template that it fills. */
  templateData: boolean
  /** Whether the consumer is told of a letter that came back. */
  callbackReturns: boolean
  /** What its callbacks wait for: those before of their print job, or of the whole contract. */
  callbackOrder: CallbackOrder
  /** Whether its print jobs wait until somebody has released them. */
  holdForApproval: boolean
  /** How long what is personal is kept after the end. Null: as the deployment says. */
  retentionDays: number | null
}

export type ListedContract = Contract & { retiredAt: Date | null }

/** The contracts that new print jobs may be made under. */
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
  'hold_for_approval',
  'retention_days',
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
    holdForApproval: row.hold_for_approval,
    retentionDays: row.retention_days,
    retiredAt: row.retired_at,
  }
}
