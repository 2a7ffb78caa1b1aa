import { reasonField } from './action-fields.js'
import { Refusal } from './api.js'
import { element } from './dom.js'
import { printJobActions } from './domain.js'
import { field, form } from './frame.js'

const { 'override-address': action } = printJobActions
const lines = ['line1', 'line2', 'line3', 'line4', 'line5']

/** Returns a form that corrects the address of a print job, filled with the current one. */
export function overrideForm(printJob, onsend) {
  const known = fieldsOf(printJob)
  const input = (name, properties = {}) =>
    element('input', { name, value: known[name] ?? '', autocomplete: 'off', ...properties })
  return element(
    'details',
    {},
    element('summary', {}, action.label),
    form({
      action,
      label: action.label,
      button: 'Make the letter again',
      fields: [
        field('Name', input('recipientName', { required: true, maxlength: '255' })),
        lines.map((name, index) =>
          field(
            `Line ${index + 1}`,
            input(name, { maxlength: '45', required: index === 0 }),
            index === 4 ? 'The post town. Leave empty for a BFPO address' : undefined,
          ),
        ),
        field('Postcode', input('postcode', { maxlength: '10' })),
        field(
          'BFPO number',
          input('bfpoNumber', { inputmode: 'numeric', pattern: '[0-9]{1,4}' }),
          'Only for a BFPO address',
        ),
        field('Country', input('country', { maxlength: '256' }), 'Only for an address abroad'),
        reasonField(action.reason),
      ],
      onsend: (given) => onsend(correctionOf(given)),
    }),
  )
}

/** Of a structured address, the form shows the printed lines. */
function fieldsOf({ printableAddress, submittedAddress, addressOverride }) {
  const { recipientName, address = {} } = addressOverride ?? submittedAddress ?? {}
  const { structuredAddress, ...others } = address
  const [unstructured] = Object.values(structuredAddress ? { printableAddress } : others)
  return { ...unstructured, recipientName }
}

/**
 * Returns the body of the correction. The filled fields determine the kind of address. Throws a Refusal if they do not
 * fit together.
 */
function correctionOf({ recipientName, reason, postcode, bfpoNumber, country, ...rest }) {
  const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value))
  if (country) {
    if (postcode || bfpoNumber)
      throw new Refusal(
        0,
        'An address abroad has no postcode or BFPO number. Put its postal code into a line.',
      )
    return { recipientName, reason, address: { internationalAddress: { ...given, country } } }
  }
  if (!bfpoNumber) {
    return { recipientName, reason, address: { unstructuredAddress: { ...given, postcode } } }
  }
  if (given.line5) throw new Refusal(0, 'A BFPO address has at most four lines.')
  const forces = { ...given, bfpoNumber: Number(bfpoNumber), ...(postcode && { postcode }) }
  return { recipientName, reason, address: { bfpoAddress: forces } }
}
