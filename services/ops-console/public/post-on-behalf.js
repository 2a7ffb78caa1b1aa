import { reasonField } from './action-fields.js'
import { ask, Refusal } from './api.js'
import { announce, element } from './dom.js'
import { actionPath, printRunActions } from './domain.js'
import { count, countDocuments, fromLondon } from './format.js'
import { check, field, form, idsIn } from './frame.js'

const { post } = printRunActions

/** Returns a form that records, on behalf of the provider, that missing documents were handed to a carrier. */
export function postOnBehalfForm({ batchNumber }, onposted) {
  // one key for the lifetime of the form, so that a form sent twice creates one posting
  const postingKey = aKey()
  const input = (name, properties = {}) =>
    element('input', { name, maxlength: '255', ...properties })
  return element(
    'details',
    {},
    element('summary', {}, 'Record a posting on behalf of the provider…'),
    form({
      action: post,
      label: 'Record a posting on behalf of the provider',
      button: post.label,
      isDanger: true,
      fields: [
        element(
          'p',
          { class: 'prose' },
          'Use this if the provider is gone. The letters become DESPATCHED and their consumers receive callbacks. This ' +
            'cannot be undone. While the provider is still in contact, only documents that it reported as too late to ' +
            'recall are accepted.',
        ),
        field(
          'Documents',
          element('input', { name: 'documents', autocomplete: 'off' }),
          'Ids of the documents that have left, separated by spaces',
        ),
        check('all', 'All missing documents have left'),
        field('Carrier', input('carrier', { required: true })),
        field(
          'Handed over',
          element('input', { type: 'datetime-local', name: 'handoverAt', required: true }),
          'London time',
        ),
        field('Manifest number', input('manifestNumber'), 'If known'),
        reasonField(post.reason),
      ],
      onsend: async (given) => {
        const { choice, ...facts } = postingOf(given)
        const path = actionPath(post, batchNumber)
        const { documentCount: expectedCount } = await ask('POST', `${path}/count`, choice)
        const question = `Record ${countDocuments(expectedCount)} of ${batchNumber} as DESPATCHED? This cannot be undone.`
        if (!confirm(question)) return
        const posting = { postingKey, ...facts, ...choice, expectedCount }
        const { documentCount } = await ask('POST', path, posting)
        await onposted()
        announce(`Documents recorded as despatched: ${count(documentCount)}.`)
      },
    }),
  )
}

/** Throws a Refusal unless the documents are named in exactly one way. */
function postingOf({ documents, all, handoverAt, manifestNumber, carrier, reason }) {
  const documentIds = idsIn(documents)
  if (documentIds.length > 0 === (all === 'true')) {
    throw new Refusal(0, 'Name the documents that have left, or choose all missing documents.')
  }
  return {
    carrier,
    reason,
    handoverAt: fromLondon(handoverAt),
    choice: all ? { all: true } : { documentIds },
    ...(manifestNumber && { manifestNumber }),
  }
}

/** Returns a random UUID. The browser's own function exists only on a secure connection. */
function aKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  bytes[6] = (bytes[6] & 0x0f) | 0x40
  bytes[8] = (bytes[8] & 0x3f) | 0x80
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
