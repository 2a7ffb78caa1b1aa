import type { PrintedAddressee } from '@despatch/domain/address/printable-address'
import { type FindingsChoice, judgeByContract } from '@despatch/domain/preflight/contract-choice'
import { type RuleSetId, ruleSets } from '@despatch/domain/preflight/rule-set'
import type { StandardParams } from '@despatch/domain/print-job/params'
import type { Plex } from './composed-document.ts'
import type { DocumentFile, DocumentRequest } from './document-request.ts'

/** The terms of a contract, and the parts of a print job that its document uses. */
export type DocumentTerms = FindingsChoice & {
  production: 'letter' | 'as-supplied'
  suppliedFileKey: string | null
  printsHandlingInstruction: boolean
  plex: Plex
  pagesMax: number
  ruleSet: string
  addressPlacement: 'own-page' | 'first-page'
  marks: boolean
  documentId: string | null
  /** The version of a template that the letter is made from. Null: its files are the letter. */
  template: string | null
  submittedAt: Date
  standardParams: StandardParams
}

/**
 * Returns the request to make a print job's document under its contract. Throws if the contract names a rule set that
 * this release does not have, because no other rule set may be applied instead.
 */
export function planDocument(
  terms: DocumentTerms,
  { printableAddress, addressFindings, postFindings }: Omit<PrintedAddressee, 'producedAs'>,
  files: readonly DocumentFile[],
): DocumentRequest {
  const { plex, pagesMax, marks, documentId, standardParams, suppliedFileKey } = terms
  const common = {
    at: terms.submittedAt,
    plex,
    pagesMax,
    ruleSet: knownRuleSet(terms.ruleSet),
    ...(documentId !== null && { documentId }),
    marks,
    files,
  }
  if (terms.production === 'as-supplied') {
    return {
      ...common,
      production: 'as-supplied',
      suppliedFileKey: suppliedFileKey!,
      addressFindings: judgeByContract(terms, postFindings),
    }
  }
  const { handlingInstruction, templateReference: title } = standardParams
  return {
    ...common,
    production: 'letter',
    title,
    printableAddress,
    addressFindings: judgeByContract(terms, [...addressFindings, ...postFindings]),
    ...(terms.printsHandlingInstruction && handlingInstruction && { handlingInstruction }),
    // the page of a template has room for it
    addressPlacement: terms.template === null ? terms.addressPlacement : 'first-page',
  }
}

function knownRuleSet(id: string): RuleSetId {
  if (!Object.hasOwn(ruleSets, id)) throw new Error(`This release has no rule set ${id}`)
  return id as RuleSetId
}
