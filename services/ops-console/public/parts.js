import { bringUpToDate, contents } from './dom.js'

/**
 * Creates the parts of a page from facts. A part stays untouched while its facts are the same, so that the page can be
 * shown again while the reader uses it. When its facts change, a part with listeners is created again, and any other
 * part is updated.
 */
export function createParts(container) {
  const parts = new Map()
  return (name, facts, make, { hasListeners = false } = {}) => {
    const basis = JSON.stringify(facts)
    const current = parts.get(name)
    if (current?.basis === basis) return
    const made = make(facts)
    if (!current) container.append(made)
    else if (hasListeners) current.node.replaceWith(made)
    else bringUpToDate(current.node, made)
    parts.set(name, { basis, node: current && !hasListeners ? current.node : made })
  }
}

/** Changes the page and keeps focus on the same element, or on the one that replaces it. */
export function keepFocus(change) {
  const focused = contents().contains(document.activeElement) ? document.activeElement : null
  change()
  if (!focused || focused === document.activeElement) return
  const isSame = (node) => node.isEqualNode(focused)
  const again = focused.isConnected
    ? focused
    : [...contents().querySelectorAll(focused.tagName)].find(isSame)
  again?.focus({ preventScroll: true })
}
