import { reasonField } from './action-fields.js'
import { ask } from './api.js'
import { announce, element } from './dom.js'
import { actionPath, redriveParked } from './domain.js'
import { count } from './format.js'
import { form } from './frame.js'

/**
 * Returns the count of what an outage parked, and the form that redrives all of it; an empty text if nothing is parked.
 */
export async function parkedByOutage() {
  const { count: parked, failures } = await ask('GET', '/parked-print-jobs')
  if (parked === 0) return ''
  const outages = failures.filter(({ isOutage }) => isOutage)
  return element(
    'section',
    { class: 'card', 'aria-labelledby': 'parked' },
    element('h2', { id: 'parked' }, `Parked by an outage: ${count(parked)}`),
    element(
      'p',
      {},
      outages.map(({ failure, count: each }) => `${failure}: ${count(each)}`).join(', '),
    ),
    element(
      'p',
      { class: 'note' },
      'All of them are retried, about 100 per second. Print jobs that were parked by another fault stay parked.',
    ),
    form({
      action: redriveParked,
      label: 'Redrive print jobs parked by an outage',
      button: `${redriveParked.label} ${count(parked)}`,
      fields: [reasonField(redriveParked.reason)],
      onsend: redriveAll,
    }),
  )
}

/** Each response says how many are left. The loop ends when one redrives none. */
async function redriveAll({ reason }) {
  let redriven = 0
  for (;;) {
    const answer = await ask('POST', actionPath(redriveParked), { reason })
    redriven += answer.redriven
    announce(`Redriven: ${count(redriven)}. Still parked: ${count(answer.left)}.`)
    if (answer.left === 0 || answer.redriven === 0) return
  }
}
