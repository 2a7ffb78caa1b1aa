import { element } from './dom.js'
import { count, moment } from './format.js'

/**
 * Returns a list of facts by name. Names may be those of the API: `leaseUntil` is shown as `lease until`. A consumer is
 * shown by user name if the facts contain one, such as `closedByUserName` for `closedBy`.
 */
export function description(facts) {
  return element(
    'dl',
    {},
    Object.entries(facts)
      .filter(([name]) => !isNameOfAnother(name, facts))
      .map(([name, value]) =>
        element(
          'div',
          {},
          element('dt', {}, inWords(name)),
          element('dd', {}, renderValue(facts[`${name}UserName`] ?? value)),
        ),
      ),
  )
}

function isNameOfAnother(name, facts) {
  return name.endsWith('UserName') && name.replace(/UserName$/, '') in facts
}

function renderValue(value) {
  if (typeof value === 'number') return count(value)
  return /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/.test(value) ? moment(value) : String(value)
}

function inWords(name) {
  return name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
}
