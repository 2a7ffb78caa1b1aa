/**
 * Returns the words of each command in a text of shell, without quotes, comments and redirections. Understands what the
 * documents contain: pipes, lists, substitutions and continued lines, but neither loops nor here-documents.
 */
export function shellWords(text: string): string[][] {
  const commands: string[][] = []
  let words: string[] = []
  for (const [token, operator] of text.replaceAll(/\\\n/g, ' ').matchAll(tokens)) {
    if (token.startsWith('#')) continue
    if (operator === undefined) words.push(token)
    else if (words.length > 0) {
      commands.push(words)
      words = []
    }
  }
  return [...commands, words].filter(({ length }) => length > 0).map(withoutRedirections)
}

/** A comment, an operator, or a word. A word may contain quoted parts. */
const tokens =
  /(?<=^|\s)#[^\n]*|("?\$\(|[|&;()\n`]+)|(?:"(?!\$\()(?:\\.|[^"\\])*"|'[^']*'|\\.|(?!\$\()[^\s|&;()`"'\\])+/g

function withoutRedirections(words: readonly string[]): string[] {
  return words
    .filter((word, index) => !isRedirection(word) && !/^\d?[<>]+$/.test(words[index - 1] ?? ''))
    .map((word) => word.replaceAll(/["']/g, ''))
}

function isRedirection(word: string): boolean {
  return /^\d?(?:>|<(?!\w[\w -]*>))/.test(word)
}
