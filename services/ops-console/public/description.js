import { element } from './dom.js'
import { count, moment } from './format.js'

/**
 * A list of facts by name. Names may be those of the interface: `leaseUntil` reads `lease until`. Whoever did something is told by
 * his user name where the facts have it, as `closedBy` by `closedByUserName`.
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
          element('dd', {}, told(facts[`${name}UserName`] ?? value)),
        ),
      ),
  )
}

function isNameOfAnother(name, facts) {
  return name.endsWith('UserName') && name.replace(/UserName$/, '') in facts
}

function told(value) {
  if (typeof value === 'number') return count(value)
  return /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/.test(value) ? moment(value) : String(value)
}

function inWords(name) {
  return name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
}
