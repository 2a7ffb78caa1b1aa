import { findSqlTexts } from './sql-texts.ts'
import { type Token, tokensOf } from './sql-tokens.ts'

/** What a mutant breaks. The first four drop a condition, by what it compares. */
export type MutantKind =
  | 'version'
  | 'lease'
  | 'consumer'
  | 'condition'
  | 'alternative'
  | 'comparison'
  | 'null'
  | 'exists'
  | 'lock'
  | 'increment'

/** A small break of the SQL of a source: `original`, which begins at `offset`, is replaced. */
export type Mutant = {
  offset: number
  /** Counted from 1, as editors do. */
  line: number
  column: number
  kind: MutantKind
  original: string
  replacement: string
}

/** Returns the source with the mutant applied. */
export function applyMutant(source: string, { offset, original, replacement }: Mutant): string {
  return source.slice(0, offset) + replacement + source.slice(offset + original.length)
}

/** Returns the mutants of all SQL of a TypeScript source, in the order of their places. */
export function findMutants(source: string): Mutant[] {
  return findSqlTexts(source)
    .flatMap(({ start, masked }) =>
      findBreaks(masked).map(({ from, to, kind, replacement }) => {
        const offset = start + from
        const original = source.slice(offset, start + to)
        const lines = source.slice(0, offset).split('\n')
        return {
          offset,
          line: lines.length,
          column: lines.at(-1)!.length + 1,
          kind: kind === 'condition' ? kindOfCondition(original) : kind,
          original,
          replacement: keepParameters(original, replacement),
        }
      }),
    )
    .sort((one, other) => one.offset - other.offset || one.original.length - other.original.length)
}

/** The text from `from` up to `to` of a piece of SQL is replaced. */
type Break = { from: number; to: number; kind: MutantKind; replacement: string }

function findBreaks(masked: string): Break[] {
  const tokens = tokensOf(masked)
  return [
    ...droppedConditions(tokens),
    ...tokens.flatMap((token, index) => swapped(tokens, token, index)),
    ...droppedLocks(tokens),
  ]
}

function kindOfCondition(text: string): MutantKind {
  if (/epoch|version/i.test(text)) return 'version'
  if (/\blease\b|leased?_until/i.test(text)) return 'lease'
  if (/consumer_?id/i.test(text)) return 'consumer'
  return 'condition'
}

/**
 * A numbered parameter must stay in the statement: PostgreSQL refuses a statement without one that it is given. The
 * planner drops a condition behind `true or`.
 */
function keepParameters(original: string, replacement: string): string {
  if (!/\$\d/.test(original)) return replacement
  if (replacement === 'true') return `(true or (${original}))`
  return replacement === 'false' ? `(false and (${original}))` : replacement
}

const beginsConditions = ['where', 'on', 'having', 'and', 'or']
const endsCondition = new Set([
  ...[',', ')', ']', ';', 'and', 'or', 'then', 'when', 'else', 'end', 'as', 'on', 'set', 'do'],
  ...[
    'select',
    'insert',
    'update',
    'delete',
    'from',
    'where',
    'group',
    'having',
    'window',
    'order',
  ],
  ...['limit', 'offset', 'fetch', 'for', 'returning', 'union', 'intersect', 'except', 'with'],
  ...['join', 'inner', 'left', 'right', 'full', 'cross', 'natural', 'desc', 'asc', 'using'],
])
const beginsStatement = new Set(['select', 'insert', 'update', 'delete', 'with', 'from', 'where'])

function droppedConditions(tokens: readonly Token[]): Break[] {
  const ofBetween = andsOfBetween(tokens)
  const starts = tokens.flatMap((token, index) => {
    if (!beginsConditions.includes(token.text) || ofBetween.has(token)) return []
    if (token.text === 'on' && isNoJoin(tokens[index + 1])) return []
    return [{ first: index + 1, isAlternative: token.text === 'or' }]
  })
  if (isCondition(tokens)) starts.unshift({ first: 0, isAlternative: false })
  return starts.flatMap(({ first, isAlternative }): Break[] => {
    const condition = conditionFrom(tokens, first, ofBetween)
    if (!condition || ['true', 'false'].includes(condition.text)) return []
    const { from, to } = condition
    return isAlternative
      ? [{ from, to, kind: 'alternative', replacement: 'false' }]
      : [{ from, to, kind: 'condition', replacement: 'true' }]
  })
}

/** `on conflict` and `distinct on (…)` begin no condition. */
function isNoJoin(next: Token | undefined): boolean {
  return next?.text === 'conflict' || next?.text === '('
}

/** Whether a piece of SQL is a part of a condition: it compares at its outermost level, and is no statement. */
function isCondition(tokens: readonly Token[]): boolean {
  const outermost = tokens.filter(({ depth }) => depth === 0)
  if (outermost.some(({ text }) => beginsStatement.has(text) || text === ',' || text === 'as')) {
    return false
  }
  if (outermost[0]?.text === 'and' || outermost[0]?.text === 'or') return false
  return outermost.some(({ text }) => /^([<>]=?|<>|is|in|exists|and)$/.test(text))
}

function conditionFrom(
  tokens: readonly Token[],
  first: number,
  ofBetween: ReadonlySet<Token>,
): { from: number; to: number; text: string } | undefined {
  const start = tokens[first]
  if (!start) return undefined
  let last = first - 1
  for (let index = first; index < tokens.length; index += 1) {
    const token = tokens[index]!
    if (token.depth < start.depth) break
    const isEnd = token.depth === start.depth && endsCondition.has(token.text)
    const isPart =
      ofBetween.has(token) ||
      // `end` of a `case`, and the bracket of what has been opened here
      ([')', ']', 'end'].includes(token.text) && last >= first) ||
      (token.text === 'from' && tokens[index - 1]?.text === 'distinct') ||
      (['left', 'right'].includes(token.text) && tokens[index + 1]?.text === '(')
    if (isEnd && !isPart) break
    last = index
  }
  if (last < first) return undefined
  const text = last === first ? start.text : ''
  return { from: start.start, to: tokens[last]!.end, text }
}

/** Returns each `and` that belongs to a `between`. */
function andsOfBetween(tokens: readonly Token[]): Set<Token> {
  const found = new Set<Token>()
  tokens.forEach(({ text, depth }, index) => {
    if (text !== 'between') return
    const and = tokens.slice(index).find((token) => token.text === 'and' && token.depth === depth)
    if (and) found.add(and)
  })
  return found
}

const comparisons: Readonly<Record<string, string>> = { '<': '<=', '<=': '<', '>': '>=', '>=': '>' }

function swapped(tokens: readonly Token[], token: Token, index: number): Break[] {
  const { start: from, end: to, text } = token
  const [next, afterNext] = tokens.slice(index + 1, index + 3)
  const comparison = comparisons[text]
  if (comparison && !isClock(tokens, index)) {
    return [{ from, to, kind: 'comparison', replacement: comparison }]
  }
  if (text === 'is' && next?.text === 'null') {
    return [{ from, to: next.end, kind: 'null', replacement: 'is not null' }]
  }
  if (text === 'is' && next?.text === 'not' && afterNext?.text === 'null') {
    return [{ from, to: afterNext.end, kind: 'null', replacement: 'is null' }]
  }
  if (text === 'exists' && next?.text === '(') {
    const before = tokens[index - 1]
    return before?.text === 'not'
      ? [{ from: before.start, to, kind: 'exists', replacement: 'exists' }]
      : [{ from, to, kind: 'exists', replacement: 'not exists' }]
  }
  if (text === '+' && next?.text === '1') {
    return [{ from, to: next.end, kind: 'increment', replacement: '+ 0' }]
  }
  return []
}

/** Whether a comparison is with the clock: nothing happens in the very microsecond that the clock shows. */
function isClock(tokens: readonly Token[], index: number): boolean {
  const [name, bracket] = tokens.slice(index - 3, index - 1)
  const before = bracket?.text === '(' ? name?.text : undefined
  return [before, tokens[index + 1]?.text].some((text) =>
    /^(now|(clock|statement|transaction)_timestamp)$/.test(text ?? ''),
  )
}

/** A lock is dropped as a whole, and so is only its `skip locked`. */
function droppedLocks(tokens: readonly Token[]): Break[] {
  return tokens.flatMap((token, index) => {
    if (token.text !== 'for') return []
    let last = index + 1
    while (['no', 'key'].includes(tokens[last]?.text ?? '')) last += 1
    if (!['update', 'share'].includes(tokens[last]?.text ?? '')) return []
    if (tokens[last + 1]?.text === 'of') {
      last += 2
      while (tokens[last + 1]?.text === ',') last += 2
    }
    const drop = (from: number, to: number): Break => ({ from, to, kind: 'lock', replacement: '' })
    const [skip, locked] = tokens.slice(last + 1, last + 3)
    if (skip?.text !== 'skip' || !locked) return [drop(token.start, tokens[last]!.end)]
    return [drop(token.start, locked.end), drop(skip.start, locked.end)]
  })
}
