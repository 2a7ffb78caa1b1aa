/** Makes an element. Properties that begin with `on` are listeners; false, null and undefined are left out. */
export function element(name, properties = {}, ...children) {
  return fill(document.createElement(name), properties, children)
}

/** Makes an element of a drawing. */
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
 * Makes the children of a node those of another, touching what differs alone: focus, scrolling and what is selected stay.
 * Listeners are not carried over, so what is brought up to date has none but those of links.
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
    // whether it is open is the reader's choice
    if (!to.hasAttribute(name) && name !== 'open') from.removeAttribute(name)
  }
  for (const { name, value } of to.attributes) {
    if (from.getAttribute(name) !== value) from.setAttribute(name, value)
  }
}

/** Tells the reader, aloud where it is read aloud. The same text is not told twice. */
export function tell(text, { isRefusal = false } = {}) {
  const notice = document.getElementById('notice')
  notice.classList.toggle('refused', isRefusal)
  if (notice.textContent !== text) notice.textContent = text
}

/** The place of the page's own contents. */
export function contents() {
  return document.getElementById('contents')
}
