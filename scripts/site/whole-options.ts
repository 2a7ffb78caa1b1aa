/** A node of the syntax tree of a page's HTML, as far as options need it. */
type Node = {
  type: string
  tagName?: string
  value?: string
  properties?: Record<string, unknown>
  children?: Node[]
}

/** Options of commands. A browser breaks a line after a hyphen, and half an option looks like another one. */
const option = /(?<=^|\s)(--?\w[\w-]{0,29})(?=[\s=]|$)/

/** Keeps each option of a command in one line. */
export function wholeOptions() {
  return (page: Node) => keepOptions(page, false)
}

function keepOptions(node: Node, isCode: boolean): void {
  if (!node.children) return
  for (const child of node.children) keepOptions(child, isCode || child.tagName === 'code')
  node.children = node.children.flatMap((child) =>
    isCode && child.type === 'text' ? withWholeOptions(child.value!) : child,
  )
}

function withWholeOptions(text: string): Node[] {
  return text.split(option).map((value, index) => {
    const part = { type: 'text', value }
    if (index % 2 === 0) return part
    const properties = { className: ['option'] }
    return { type: 'element', tagName: 'span', properties, children: [part] }
  })
}
