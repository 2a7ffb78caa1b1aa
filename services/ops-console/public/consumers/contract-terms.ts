import type {
  ContractResponse,
  PutContractRequest,
} from '@despatch/contracts/administration/contract'
import type { ContractPreviewResponse } from '@despatch/contracts/administration/contract-change'
import { printJobStatuses } from '@despatch/domain/print-job/status'

/** The terms that are a choice of yes or no, with their labels. */
export const switches = [
  ['colour', 'Prints in colour'],
  ['callbackReturns', 'Callbacks for returned letters'],
  ['holdForApproval', 'Letters are held until they are released'],
  ['marks', 'Prints insertion marks and the barcode of the address'],
  ['templateData', 'The provider gets the custom parameters'],
  ['strict', 'Refuses every finding about the address'],
] as const
/** What a contract may report or refuse, or refuse from a day on, with the labels. */
export const refusals = [
  ['unknownMembers', 'Unknown members'],
  ['unreadableFiles', 'Unreadable files'],
  ['lettersWithoutFile', 'Letters without a file'],
] as const
type Given = Readonly<Record<string, string>>
type Change = ContractPreviewResponse['changes'][number]

const isStatusOf = (given: Given) => (status: string) => given[`on-${status}`] === 'true'

/** Returns the whole contract with the terms of the form, because members that are left out get their defaults. */
export function withTerms(contract: ContractResponse, given: Given): PutContractRequest {
  const {
    jobType: _,
    templateReference: __,
    retiredAt: ___,
    retentionDays: ____,
    templateLanguages,
    ...terms
  } = contract
  return {
    ...(terms as Omit<PutContractRequest, 'retentionDays'>),
    ...(templateLanguages && {
      templateLanguages: templateLanguages as NonNullable<PutContractRequest['templateLanguages']>,
    }),
    pagesMax: Number(given.pagesMax),
    ...(given.retentionDays && { retentionDays: Number(given.retentionDays) }),
    stationery: given.stationery ?? contract.stationery,
    plex: given.plex as ContractResponse['plex'],
    callbackOrder: given.callbackOrder as ContractResponse['callbackOrder'],
    callbackConcurrency: Number(given.callbackConcurrency),
    callbackStatuses: printJobStatuses.filter(isStatusOf(given)),
    ...Object.fromEntries(refusals.flatMap(([term]) => (given[term] ? [[term, given[term]]] : []))),
    ...(Object.fromEntries(switches.map(([term]) => [term, given[term] === 'true'])) as Pick<
      ContractResponse,
      (typeof switches)[number][0]
    >),
  }
}

/** Returns the lines of a change: what a term was, and what it is. An absent value has no line. */
export function linesOf(changes: readonly Change[]): [sign: '−' | '+', text: string][] {
  return changes.flatMap(({ term, before, after }) => [
    ...(before === undefined ? [] : [['−', `${term} ${textOf(before)}`] as ['−', string]]),
    ...(after === undefined ? [] : [['+', `${term} ${textOf(after)}`] as ['+', string]]),
  ])
}

function textOf(value: NonNullable<Change['before']>): string {
  return Array.isArray(value) ? value.join(', ') || 'none' : String(value)
}
