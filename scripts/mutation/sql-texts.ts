import { parseAst } from 'vitest/node'

/** A piece of SQL of a source: the text of a template literal, which begins at `start`. */
export type SqlText = {
  start: number
  /**
   * The text, as long as in the source, so that places are the same. A hole is as many `$` as it has characters, a
   * comment is blank, and a quoted text contains only `x`.
   */
  masked: string
}

type Node = { type: string; start: number; end: number; [member: string]: unknown }

/** Returns the SQL of a TypeScript source: the template literals that are tagged `sql`, or whose text is SQL. */
export function findSqlTexts(source: string): SqlText[] {
  const found: SqlText[] = []
  visit(parseAst(source, { lang: 'ts' }) as unknown as Node, (node, isMessage, isTagged) => {
    if (node.type !== 'TemplateLiteral') return
    const start = node.start + 1
    const masked = maskSql(maskHoles(source, node))
    if (isTagged || (!isMessage && looksLikeSql(masked))) found.push({ start, masked })
  })
  return found.sort((one, other) => one.start - other.start)
}

type Visitor = (node: Node, isMessage: boolean, isTagged: boolean) => void

/** Visits a node and those below it. `isMessage`: it is a part of what an error says. */
function visit(node: Node, visitor: Visitor, isMessage = false, isTagged = false): void {
  visitor(node, isMessage, isTagged)
  const saysSo = isMessage || node.type === 'NewExpression' || node.type === 'ThrowStatement'
  const isSql =
    node.type === 'TaggedTemplateExpression' && (node.tag as { name?: string }).name === 'sql'
  for (const [member, value] of Object.entries(node)) {
    for (const below of Array.isArray(value) ? value : [value]) {
      if (isNode(below)) visit(below, visitor, saysSo, isSql && member === 'quasi')
    }
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value
}

/** Returns the text of a template literal without its backticks, with `$` in place of each hole. */
function maskHoles(source: string, template: Node): string {
  let masked = source.slice(template.start + 1, template.end - 1)
  for (const hole of template.expressions as Node[]) {
    const open = source.lastIndexOf('${', hole.start) - template.start - 1
    const close = source.indexOf('}', hole.end) - template.start
    masked = masked.slice(0, open) + '$'.repeat(close - open) + masked.slice(close)
  }
  return masked
}

/** Blanks the comments of SQL, and hides what is quoted. */
function maskSql(text: string): string {
  return text.replaceAll(/--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"[^"]*"/g, (part) => {
    if (part.startsWith('-') || part.startsWith('/')) return part.replaceAll(/[^\n]/g, ' ')
    if (part.startsWith("'")) return `'${'x'.repeat(part.length - 2)}'`
    return part.replaceAll(/[^"]/g, 'x')
  })
}

const statement = /\b(select|insert into|delete from|update [\w$]+ (\w+ )?set|where|returning)\b/
const condition =
  /\bis (not )?null\b|\bexists \(|(<|>|=|<>|<=|>=) \S.*\band\b|\band\b.* (<|>|=|<>|<=|>=) /s

function looksLikeSql(masked: string): boolean {
  return statement.test(masked) || condition.test(masked)
}
