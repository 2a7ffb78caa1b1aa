import { isRefusalTerm, type RefusalTermName } from '@despatch/domain/contract/refusal-term'
import { choosableRules } from '@despatch/domain/preflight/contract-choice'
import { newestRuleSetId, ruleSetIds } from '@despatch/domain/preflight/rule-set'
import { printJobStatuses } from '@despatch/domain/print-job/status'
import { plainStationery } from '@despatch/domain/print-run/capabilities'
import { parseTemplateVersion } from '@despatch/domain/template/template-version'
import { z } from 'zod'
import { ifKnown, storedTime } from '../stored.ts'
import { customIssue, integer, pathSegment, text } from '../text.ts'
import { callbackOrderSchema } from './callback.ts'

const pagesMaxDefault = 100
const pagesMaxMost = 10_000
const callsDefault = 8
const callsMost = 1_000
const retentionDaysMax = 36_500

/** The same rules as in a print job: a contract lists the pairs that standardParams may contain. */
export const contractPair = {
  jobType: pathSegment({ min: 1, max: 255 }),
  templateReference: pathSegment({ min: 1, max: 255 }),
}

/** A term that says whether a contract reports or refuses something, or from which day on it refuses it. */
function refusalTerm(what: string, fallback: string) {
  return z
    .string()
    .check(({ value, issues }) => {
      if (isRefusalTerm(value)) return
      const message = 'must be report, refuse, or a day such as 2027-02-01'
      issues.push(customIssue({ code: 'Invalid', message }, value))
    })
    .meta({ pattern: '^(report|refuse|\\d{4}-\\d{2}-\\d{2})$' })
    .describe(
      `${what}: report accepts the print job with a warning, refuse refuses it, and a day refuses it from the beginning ` +
        `of that day in London. Absent in a request: as it is, and ${fallback} in a new contract`,
    )
}

const refusals = {
  unknownMembers: refusalTerm('Members of a request that the API does not know', 'report'),
  unreadableFiles: refusalTerm('Values that look like a file and cannot be printed', 'refuse'),
  lettersWithoutFile: refusalTerm('Letters of which only the address page is printed', 'report'),
} satisfies Record<RefusalTermName, unknown>

const templateVersion = z
  .string()
  .check(({ value, issues }) => {
    if (parseTemplateVersion(value)) return
    const message = 'must be a version of a template, such as renewal@3'
    issues.push(customIssue({ code: 'Invalid', message }, value))
  })
  .meta({ pattern: '^[a-z0-9][a-z0-9-]{0,62}@[1-9][0-9]{0,5}$' })

const terms = {
  production: z
    .enum(['letter', 'as-supplied'])
    .describe(
      'letter: an address page is made and the files follow. as-supplied: one PDF is printed as supplied',
    ),
  suppliedFileKey: text({ min: 1, max: 255 })
    .exactOptional()
    .describe('Custom parameter or file that contains the PDF. Required with as-supplied'),
  printsHandlingInstruction: z.boolean(),
  plex: z.enum(['simplex', 'duplex']),
  colour: z.boolean(),
  pagesMax: integer({ min: 1, max: pagesMaxMost }),
  callbackStatuses: z
    .array(z.enum(printJobStatuses))
    .max(printJobStatuses.length)
    .describe('Statuses for which the consumer gets a callback'),
  ruleSet: z
    .enum(ruleSetIds)
    .describe('Rule set that preflight applies to the letters. A rule set never changes'),
  addressPlacement: z
    .enum(['own-page', 'first-page'])
    .describe(
      'Where the address is printed: on a page that we add, or on the first page of the files',
    ),
  marks: z
    .boolean()
    .describe('Whether insertion marks and the barcode of the address are printed on a letter'),
  template: templateVersion
    .exactOptional()
    .describe(
      'Published version of the template that its letters are made from. Their custom parameters are its fields. Absent: ' +
        'letters are the files of a print job',
    ),
  templateLanguages: z
    .array(z.enum(['en', 'cy']))
    .min(1)
    .max(2)
    .exactOptional()
    .describe('Languages of such a letter, one after another. Default: the first of the template'),
  stationery: text({ min: 1, max: 50 }).describe('Name of the paper, as sites list it'),
  templateData: z
    .boolean()
    .describe('Whether the provider gets the custom parameters, for a template that it fills in'),
  callbackReturns: z
    .boolean()
    .describe('Whether the consumer gets a callback for a returned letter'),
  callbackOrder: callbackOrderSchema,
  callbackConcurrency: integer({ min: 1, max: callsMost }).describe(
    'Calls at once to one origin with callbacks of this contract, within the limit of the deployment. Applies to callbacks ' +
      'that are owed from now on',
  ),
  holdForApproval: z
    .boolean()
    .describe('Whether its print jobs wait until the consumer or an operator releases them'),
  retentionDays: integer({ min: 1, max: retentionDaysMax })
    .exactOptional()
    .describe(
      'Days that personal data is kept after the end. Absent: the default of the deployment',
    ),
  strict: z.boolean().describe('Whether every finding about the address refuses a print job'),
  refusedRules: z
    .array(z.enum(choosableRules))
    .max(choosableRules.length)
    .describe('Rules of the address whose findings refuse a print job instead of being reported'),
  ...refusals,
}

export const putContractSchema = z
  .object({
    ...terms,
    printsHandlingInstruction: terms.printsHandlingInstruction.default(true),
    plex: terms.plex.default('duplex'),
    colour: terms.colour.default(true),
    pagesMax: terms.pagesMax.default(pagesMaxDefault),
    callbackStatuses: terms.callbackStatuses.default(['DESPATCHED', 'REJECTED']),
    ruleSet: terms.ruleSet.default(newestRuleSetId),
    addressPlacement: terms.addressPlacement.default('own-page'),
    marks: terms.marks.default(true),
    stationery: terms.stationery.default(plainStationery),
    templateData: terms.templateData.default(false),
    callbackReturns: terms.callbackReturns.default(false),
    callbackOrder: terms.callbackOrder.default('print-job'),
    callbackConcurrency: terms.callbackConcurrency.default(callsDefault),
    holdForApproval: terms.holdForApproval.default(false),
    strict: terms.strict.default(false),
    refusedRules: terms.refusedRules.default([]),
    unknownMembers: refusals.unknownMembers.exactOptional(),
    unreadableFiles: refusals.unreadableFiles.exactOptional(),
    lettersWithoutFile: refusals.lettersWithoutFile.exactOptional(),
  })
  .superRefine((contract, context) => {
    const { production, suppliedFileKey, addressPlacement, template, templateLanguages } = contract
    const isSupplied = production === 'as-supplied'
    if (isSupplied && template !== undefined) {
      const message = 'must be left out when production is as-supplied'
      context.addIssue({
        ...customIssue({ code: 'Invalid', message }, template),
        path: ['template'],
      })
    }
    if (template === undefined && templateLanguages !== undefined) {
      const message = 'must be left out unless there is a template'
      const issue = customIssue({ code: 'Invalid', message }, templateLanguages)
      context.addIssue({ ...issue, path: ['templateLanguages'] })
    }
    if (isSupplied && addressPlacement === 'first-page') {
      const message = 'must be own-page or left out when production is as-supplied'
      const issue = customIssue({ code: 'Invalid', message }, addressPlacement)
      context.addIssue({ ...issue, path: ['addressPlacement'] })
    }
    if (isSupplied === (suppliedFileKey !== undefined)) return
    const fault = isSupplied
      ? { code: 'NotNull', message: 'must be given when production is as-supplied' }
      : { code: 'Invalid', message: 'must be left out unless production is as-supplied' }
    context.addIssue({ ...customIssue(fault, suppliedFileKey), path: ['suppliedFileKey'] })
  })
export type PutContractRequest = z.input<typeof putContractSchema>

export const contractSchema = z.object({
  ...contractPair,
  ...terms,
  suppliedFileKey: ifKnown(terms.suppliedFileKey),
  retentionDays: ifKnown(terms.retentionDays),
  template: ifKnown(terms.template),
  templateLanguages: ifKnown(z.array(z.string())).describe(terms.templateLanguages.description!),
  ruleSet: z.string().describe('Rule set that preflight applies to the letters'),
  refusedRules: z.array(z.string()).describe(terms.refusedRules.description!),
  retiredAt: ifKnown(storedTime).describe(
    'Print jobs for this contract are refused from this time',
  ),
})
export type ContractResponse = z.output<typeof contractSchema>

export const contractsSchema = z.object({
  contracts: z.array(contractSchema).describe('By jobType and templateReference'),
})
export type ContractsResponse = z.output<typeof contractsSchema>
