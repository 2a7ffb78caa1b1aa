export type Selected = { metric: string; labels: string[] }

/** Returns the metrics that a PromQL expression selects, each with the labels that it uses. */
export function selectedBy(expression: string): Selected[] {
  const plain = expression
    .replaceAll(/\[[^\]]*\]/g, '')
    .replaceAll(/\b(?:by|without|on|ignoring)\s*\([^)]*\)/g, '')
  return [...plain.matchAll(/\b([a-z_][a-z0-9_]*)\b(?!\s*\()(\{[^}]*\})?/g)]
    .filter(([, word, selector]) => selector !== undefined || !operators.has(word!))
    .filter(({ index }) => !isInside(plain, index))
    .map(([, metric, selector = '']) => ({
      metric: metric!,
      labels: [...selector.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label]) => label!),
    }))
}

const operators = new Set(['and', 'or', 'unless', 'bool', 'offset'])

/** Whether a position lies between the braces of a selector. */
function isInside(text: string, index: number): boolean {
  const before = text.slice(0, index)
  return before.lastIndexOf('{') > before.lastIndexOf('}')
}
