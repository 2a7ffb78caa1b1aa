import type { Outcome } from './compare-files.ts'

/** Returns the report of a corpus as text, and how many files differ or failed. */
export function reportOf(outcomes: readonly Outcome[]): { text: string; differing: number } {
  const compared = outcomes.filter((file) => file.outcome === 'compared')
  const differing = compared.filter((file) => file.differing.length > 0)
  const unread = compared.filter((file) => file.unread.length > 0)
  const failed = outcomes.filter((file) => file.outcome === 'failed')
  const lines = [
    `alike: ${compared.length - differing.length} files`,
    `pages compared: ${compared.reduce((sum, { pages }) => sum + pages, 0)}`,
    ...section('differ', differing, ({ path, kinds, differing: pages }) => [
      `${path} (${kinds.join(', ') || 'plain'})`,
      ...pages.map(
        ({ page, renderer, perMille }) =>
          `  page ${page} ${renderer}: ${perMille.toFixed(1)} per mille`,
      ),
    ]),
    ...section('could not be compared', failed, ({ path, why }) => [`${path}: ${why}`]),
    ...section('a renderer cannot read the file itself', unread, ({ path, unread: by }) => [
      `${path}: ${by.join('; ')}`,
    ]),
    'refused:',
    ...counted(outcomes.flatMap((file) => (file.outcome === 'refused' ? file.rules : []))),
    'not compared:',
    ...counted(outcomes.flatMap((file) => (file.outcome === 'not-compared' ? [file.why] : []))),
    'kinds of what differs:',
    ...counted(differing.flatMap(({ kinds }) => (kinds.length > 0 ? kinds : ['plain']))),
  ]
  return { text: `${lines.join('\n')}\n`, differing: differing.length + failed.length }
}

function section<File>(
  title: string,
  files: readonly File[],
  linesOf: (file: File) => readonly string[],
): string[] {
  return [`${title}: ${files.length} files`, ...files.flatMap(linesOf).map((line) => `  ${line}`)]
}

function counted(words: readonly string[]): string[] {
  const counts = new Map<string, number>()
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  return [...counts]
    .toSorted(([, one], [, other]) => other - one)
    .map(([word, count]) => `  ${count} × ${word}`)
}
