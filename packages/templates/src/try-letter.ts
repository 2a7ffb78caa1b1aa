import type { Composers } from '@despatch/composer/composers'
import type { DocumentRequest, MadeDocument } from '@despatch/documents/document-request'
import { newestRuleSetId } from '@despatch/domain/preflight/rule-set'
import type { Language } from './language.ts'
import type { Template } from './read-template.ts'
import type { TemplateFault } from './template-fault.ts'
import { templateId } from './template-id.ts'
import type { TypesetRequest } from './typeset.ts'
import type { Typesetters } from './typesetters.ts'

/** How letters are made. `use`: for whom, and until when. */
export type LetterMakers = {
  typesetters: Pick<Typesetters, 'typeset'>
  makeDocument: Composers['makeDocument']
  use?: { consumerId?: string; signal?: AbortSignal }
}

/** A letter as it is printed: what it is made from, and its document if nothing refuses it. */
export type PrintedLetter = { request: DocumentRequest } & MadeDocument

export type TriedLetter =
  | (PrintedLetter & { accessiblePdf: Uint8Array })
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
  makers: LetterMakers,
  template: Template,
  letter: LetterToTry,
): Promise<TriedLetter> {
  const printed = await printLetter(makers, template, letter)
  if ('faults' in printed) return printed
  const { recipientLine1, line1, line2, line3, postcode } = printableAddress
  const address = [recipientLine1, line1, line2, line3, postcode]
  const { typesetters, use } = makers
  const onScreen = await typesetters.typeset({ ...requestFor(template, letter), address }, use)
  if ('faults' in onScreen) return onScreen
  return { ...printed, accessiblePdf: onScreen.pdf }
}

/** Typesets a letter and makes its document with a made-up address and day. */
export async function printLetter(
  { typesetters, makeDocument, use }: LetterMakers,
  template: Template,
  letter: LetterToTry,
): Promise<PrintedLetter | { faults: TemplateFault[] }> {
  const printed = await typesetters.typeset(requestFor(template, letter), use)
  if ('faults' in printed) return printed
  const request: DocumentRequest = {
    at: new Date(`${date}T00:00:00Z`),
    plex: 'duplex',
    pagesMax,
    ruleSet: newestRuleSetId,
    marks: true,
    files: [{ fileId: 'letter', mediaType: 'application/pdf', bytes: printed.pdf }],
    production: 'letter',
    title: template.fields.title,
    printableAddress,
    addressPlacement: 'first-page',
  }
  return { request, ...(await makeDocument(request, use)) }
}

function requestFor(
  { files, fields }: Template,
  { values, languages }: LetterToTry,
): TypesetRequest {
  return {
    templateId: templateId(files),
    files,
    languages,
    title: fields.title,
    author: 'Despatch',
    date,
    reference: 'EXAMPLE-1',
    address: [],
    group: fields.group,
    values,
    pagesMax,
  }
}
