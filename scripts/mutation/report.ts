import { dirname } from 'node:path'
import type { Mutant } from './find-mutants.ts'
import type { Verdict } from './remembered.ts'

/** `unreached`: no test runs the place of the mutant. */
export type Result = { path: string; mutant: Mutant; verdict: Verdict | { kind: 'unreached' } }

const outcomes = ['killed', 'survived', 'timed-out', 'unreached'] as const

/** Renders the score of each folder, and then each mutant that was not killed. */
export function renderReport(results: readonly Result[]): string {
  const byFolder = Map.groupBy(results, ({ path }) => dirname(path))
  const folders = [...byFolder].sort(([one], [other]) => (one < other ? -1 : 1))
  return [
    ...folders.map(([folder, own]) => renderScore(folder, own)),
    renderScore('all', results),
    '',
    ...results
      .filter(({ verdict }) => verdict.kind === 'survived' || verdict.kind === 'timed-out')
      .map(renderResult),
    '',
  ].join('\n')
}

/** A mutant that no test reaches says nothing about the tests, so it is not in the score. */
function renderScore(name: string, results: readonly Result[]): string {
  const count = (kind: (typeof outcomes)[number]) =>
    results.filter(({ verdict }) => verdict.kind === kind).length
  const tested = results.length - count('unreached')
  const score = tested === 0 ? '   -' : `${Math.floor((100 * count('killed')) / tested)} %`
  const counts = outcomes.map((kind) => `${count(kind)} ${kind}`).join(', ')
  return `${score.padStart(5)}  ${name}: ${counts}`
}

/** Renders one line: `survived path:line kind original -> replacement`. */
export function renderResult({ path, mutant, verdict }: Result): string {
  const { line, kind, original, replacement } = mutant
  const becomes = replacement.startsWith('(true or') ? 'true' : replacement
  const flat = (text: string) => text.replaceAll(/\s+/g, ' ')
  return `${verdict.kind} ${path}:${line} ${kind} ${flat(original)} -> ${flat(becomes) || 'nothing'}`
}
