import { bringUpToDate, contents } from './dom.js'

/**
 * Parts of a page, each made of facts and left as it is while they stay the same, so that it can be shown again and again under
 * the hands of its reader. What has listeners is made anew when its facts change; the rest is brought up to date.
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

/** Changes the page. What had the focus has it afterwards, or what was made anew in its place. */
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
