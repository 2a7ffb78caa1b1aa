/** Creates an element. Properties that begin with `on` are listeners; false, null and undefined are left out. */
export function element(name, properties = {}, ...children) {
  return fill(document.createElement(name), properties, children)
}

/** Creates an SVG element. */
export function shape(name, properties = {}, ...children) {
  return fill(document.createElementNS('http://www.w3.org/2000/svg', name), properties, children)
}

function fill(node, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (value === false || value === null || value === undefined) continue
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value)
    else node.setAttribute(name, value === true ? '' : value)
  }
  node.append(...children.flat(2).filter((child) => child !== null && child !== undefined))
  return node
}

/**
 * Gives a node the children of another, and changes only what differs, so that focus, scroll position and selection
 * stay. Listeners are not copied, so a part that is updated must have none; links work without.
 */
export function bringUpToDate(from, to) {
  const next = [...to.childNodes]
  next.forEach((node, index) => {
    const current = from.childNodes[index]
    if (!current) from.append(node)
    else if (current.isEqualNode(node)) return
    else if (isAlike(current, node)) {
      bringAttributesUpToDate(current, node)
      bringUpToDate(current, node)
    } else if (current.nodeType === Node.TEXT_NODE && node.nodeType === Node.TEXT_NODE) {
      current.data = node.data
    } else current.replaceWith(node)
  })
  while (from.childNodes.length > next.length) from.lastChild.remove()
}

function isAlike(one, other) {
  return one.nodeType === Node.ELEMENT_NODE && one.nodeName === other.nodeName
}

function bringAttributesUpToDate(from, to) {
  for (const { name } of [...from.attributes]) {
    // the reader decides whether it is open
    if (!to.hasAttribute(name) && name !== 'open') from.removeAttribute(name)
  }
  for (const { name, value } of to.attributes) {
    if (from.getAttribute(name) !== value) from.setAttribute(name, value)
  }
}

/** Shows a message to the reader; screen readers announce it. The same text is not announced twice. */
export function announce(text, { isRefusal = false } = {}) {
  const notice = document.getElementById('notice')
  notice.classList.toggle('refused', isRefusal)
  if (notice.textContent !== text) notice.textContent = text
}

/** Returns the element for the page's own contents. */
export function contents() {
  return document.getElementById('contents')
}
