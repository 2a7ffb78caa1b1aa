/** A node of a page's syntax tree, as far as tabs need it. */
type Node = {
  type: string
  lang?: string | null
  meta?: string | null
  value?: string
  name?: string
  attributes?: { type: string; name: string; value: string }[]
  children?: Node[]
}

/**
 * Makes tabs of consecutive code blocks with a title, such as ```` ```sh title=curl ````. On a code host they are plain
 * code blocks, because it does not show the title. Comments between the blocks do not separate them.
 */
export function languageTabs() {
  return (page: { children: Node[] }) => {
    page.children = withTabs(page.children)
  }
}

function withTabs(nodes: readonly Node[]): Node[] {
  const made: Node[] = []
  let blocks: Node[] = []
  const endTabs = () => {
    made.push(...(blocks.length > 1 ? [tabsOf(blocks)] : blocks))
    blocks = []
  }
  for (const node of nodes) {
    const isComment = node.type === 'html' && node.value?.startsWith('<!--')
    if (isComment) continue
    if (titleOf(node) !== undefined) blocks.push(node)
    else {
      endTabs()
      // on the landing page, blocks lie in elements
      made.push(node.children ? { ...node, children: withTabs(node.children) } : node)
    }
  }
  endTabs()
  return made
}

function tabsOf(blocks: readonly Node[]): Node {
  const languages = blocks.map((block) => titleOf(block)).join('|')
  return {
    type: 'mdxJsxFlowElement',
    name: 'LanguageTabs',
    attributes: [{ type: 'mdxJsxAttribute', name: 'languages', value: languages }],
    children: blocks.map((block) => ({ ...block, meta: null })),
  }
}

function titleOf({ type, meta }: Node): string | undefined {
  return type === 'code' ? /^title=(\S+)$/.exec(meta ?? '')?.[1] : undefined
}
