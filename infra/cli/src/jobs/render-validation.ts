import type { ValidationResponse } from '@despatch/contracts/print-request/validation-response'
import { countOf } from '../count-of.ts'
import { type Columns, renderFields, renderRows } from '../table.ts'

/** Renders what a print job would be, with every finding. */
export function renderValidation(validation: ValidationResponse): string {
  const { verdict, comment, recipientLines, printableAddress, findings } = validation
  const { line1, line2, line3, line4, line5, postcode } = printableAddress
  const address = [line1, line2, line3, line4, line5, postcode].filter(Boolean)
  const fields = renderFields({
    verdict: verdict === 'accepted' ? 'it would be accepted' : 'it would be rejected',
    comment,
    'printed to': [...recipientLines, ...address].join(', '),
    letter: letterOf(validation),
    'produced as': validation.producedAs,
    'virus scan': validation.scanned ? undefined : 'not done',
  })
  const columns = {
    rule: ({ number, rule }) => number ?? rule,
    severity: 'severity',
    file: 'fileId',
    page: 'page',
    finding: 'detail',
  } satisfies Columns<ValidationResponse['findings'][number]>
  return `${fields}\n\n${renderRows(findings, columns, 'No findings.')}`
}

function letterOf({ pages, sheets, weightGrams }: ValidationResponse): string | undefined {
  if (pages === undefined || sheets === undefined) return undefined
  const weight = weightGrams === undefined ? '' : `, about ${weightGrams} g`
  return `${countOf(pages, 'page')} on ${countOf(sheets, 'sheet')}${weight}`
}
