import type { ValidationResponse } from '@despatch/contracts/print-request/validation-response'
import { countOf } from '../count-of.ts'
import { renderFields, renderTable } from '../table.ts'

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
  const rows = findings.map(({ number, rule, severity, fileId, page, detail }) => [
    number ?? rule,
    severity,
    fileId ?? '-',
    String(page ?? '-'),
    detail,
  ])
  const header = ['rule', 'severity', 'file', 'page', 'finding']
  return `${fields}\n\n${renderTable(header, rows, 'No findings.')}`
}

function letterOf({ pages, sheets, weightGrams }: ValidationResponse): string | undefined {
  if (pages === undefined || sheets === undefined) return undefined
  const weight = weightGrams === undefined ? '' : `, about ${weightGrams} g`
  return `${countOf(pages, 'page')} on ${countOf(sheets, 'sheet')}${weight}`
}
