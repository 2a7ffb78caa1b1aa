import type { DocumentRequest, MadeDocument } from '@despatch/documents/document-request'
import { makeDocument } from '@despatch/documents/make-document'
import { newestRuleSetId } from '@despatch/domain/preflight/rule-set'
import type { Language } from '@despatch/templates/language'
import type { Template } from '@despatch/templates/read-template'
import type { TemplateFault } from '@despatch/templates/template-fault'
import { templateId } from '@despatch/templates/template-id'
import type { Typesetters } from '@despatch/templates/typesetters'

/** A letter of a template with made-up values: what it is made from, and its document if nothing refuses it. */
export type TriedLetter =
  | ({ request: DocumentRequest; accessiblePdf: Uint8Array } & MadeDocument)
  | { faults: TemplateFault[] }

type LetterToTry = { values: unknown; languages: readonly Language[] }

const pagesMax = 100
/** A Monday, so that a preview is the same on each day. */
const date = '2027-03-01'

const printableAddress = {
  recipientLine1: 'Ms Ada Wilhelmina Example-Featherstonehaugh',
  recipientLine2: '',
  line1: 'Flat 12, Example House',
  line2: '1 High Street',
  line3: 'Anytown',
  postcode: 'AB1 2CD',
  dps: null,
}

/**
 * Typesets a letter and checks it as the pipeline does: with the address printed on its first page. It is typeset a second
 * time as its recipient gets it on a screen, with the address as text.
 */
export async function tryLetter(
  typesetters: Pick<Typesetters, 'typeset'>,
  { files, fields }: Template,
  { values, languages }: LetterToTry,
): Promise<TriedLetter> {
  const common = {
    templateId: templateId(files),
    files,
    languages,
    title: fields.title,
    author: 'Despatch',
    date,
    reference: 'EXAMPLE-1',
    group: fields.group,
    values,
    pagesMax,
  }
  const printed = await typesetters.typeset({ ...common, address: [] })
  if ('faults' in printed) return printed
  const { recipientLine1, line1, line2, line3, postcode } = printableAddress
  const address = [recipientLine1, line1, line2, line3, postcode]
  const onScreen = await typesetters.typeset({ ...common, address })
  if ('faults' in onScreen) return onScreen

  const request: DocumentRequest = {
    at: new Date(`${date}T00:00:00Z`),
    plex: 'duplex',
    pagesMax,
    ruleSet: newestRuleSetId,
    marks: true,
    files: [{ fileId: 'letter', mediaType: 'application/pdf', bytes: printed.pdf }],
    production: 'letter',
    title: fields.title,
    printableAddress,
    addressPlacement: 'first-page',
  }
  return { request, accessiblePdf: onScreen.pdf, ...(await makeDocument(request)) }
}
