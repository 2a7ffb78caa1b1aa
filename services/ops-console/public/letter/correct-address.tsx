import type {
  OverrideAddressRequest,
  PrintJobDetailsResponse,
} from '@despatch/contracts/administration/print-job'
import { actionPath } from '@despatch/domain/operator-action/operator-action'
import { printJobActions } from '@despatch/domain/operator-action/print-job-actions'
import { ask, given, Refusal } from '../parts/api.ts'
import { type Given, Input } from '../parts/form.tsx'
import { askFirst, questionOf } from '../parts/question.tsx'

const { 'override-address': action } = printJobActions
const lines = ['line1', 'line2', 'line3', 'line4', 'line5'] as const

/** Asks for the correct address of a letter, filled with the current one, and has the letter made again. */
export function correctAddress(
  letter: PrintJobDetailsResponse,
  show: (letter: PrintJobDetailsResponse) => void,
): void {
  const known = fieldsOf(letter)
  const line = (name: string, label: string, more: object = {}, hint?: string) => (
    <Input name={name} label={label} hint={hint} value={String(known[name] ?? '')} {...more} />
  )
  askFirst(
    questionOf(action, {
      key: 'override-address',
      title: `${action.label} of letter ${letter.id}`,
      button: 'Make the letter again',
      points: ['The letter is made again at once, with the same document id.'],
      fields: [
        line('recipientName', 'Name', { required: true, maxLength: 255 }),
        ...lines.map((name, index) =>
          line(
            name,
            `Line ${index + 1}`,
            { maxLength: 45, required: index === 0 },
            index === 4 ? 'The post town. Leave empty for a BFPO address' : undefined,
          ),
        ),
        line('postcode', 'Postcode', { maxLength: 10 }),
        line(
          'bfpoNumber',
          'BFPO number',
          { inputMode: 'numeric', pattern: '[0-9]{1,4}' },
          'Only for a BFPO address',
        ),
        line('country', 'Country', { maxLength: 256 }, 'Only for an address abroad'),
      ],
      onSend: async (fields) => {
        const path = actionPath(action, letter.printJobKey)
        show(await ask<PrintJobDetailsResponse>('POST', path, correctionOf(fields)))
        return { done: 'Done: the letter was made again with the new address. Check its page.' }
      },
    }),
  )
}

/** Of a structured address, the form shows the printed lines. */
function fieldsOf({
  printableAddress,
  submittedAddress,
  addressOverride,
}: PrintJobDetailsResponse) {
  const { recipientName, address } = addressOverride ?? submittedAddress ?? {}
  const [fields] = Object.values(
    address && 'structuredAddress' in address ? { printableAddress } : (address ?? {}),
  )
  const known: Record<string, unknown> = { ...fields, recipientName }
  return known
}

/**
 * Returns the body of the correction. The filled fields determine the kind of address. Throws a Refusal if they do not
 * fit together.
 */
function correctionOf(all: Given): OverrideAddressRequest {
  const { recipientName, reason = '', postcode = '', bfpoNumber, country, ...rest } = all
  const { line1 = '', ...filled } = given(rest)
  const common = { ...(recipientName && { recipientName }), reason }
  if (country) {
    if (postcode || bfpoNumber) {
      throw new Refusal(
        0,
        'An address abroad has no postcode or BFPO number. Put its postal code into a line.',
      )
    }
    return { ...common, address: { internationalAddress: { line1, ...filled, country } } }
  }
  if (!bfpoNumber) {
    return { ...common, address: { unstructuredAddress: { line1, ...filled, postcode } } }
  }
  if (filled.line5) throw new Refusal(0, 'A BFPO address has at most four lines.')
  const forces = { line1, ...filled, bfpoNumber: Number(bfpoNumber), ...(postcode && { postcode }) }
  return { ...common, address: { bfpoAddress: forces } }
}
