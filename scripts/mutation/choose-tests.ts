import type { Mutant } from './find-mutants.ts'
import type { ImportGraph } from './import-graph.ts'
import { aFunctionIsReached, placeIsReached } from './reached-ranges.ts'
import type { Baseline } from './remembered.ts'

/** Tests by their paths, with what they did on the unchanged tree. */
export type Baselines = ReadonlyMap<string, Baseline>

/**
 * Returns the tests that run the place of a mutant, those first that load its file most directly. SQL outside of all
 * functions is used by the files that import it: the tests of such a place call a function of its file, of an importer,
 * or of an importer of that one.
 */
export function chooseTests(
  path: string,
  { offset }: Pick<Mutant, 'offset'>,
  baselines: Baselines,
  graph: ImportGraph,
  sources: readonly string[],
): string[] {
  const users = usersOf(path, graph, sources)
  const isChosen = ({ reached }: Baseline) => {
    const place = placeIsReached(reached[path], offset)
    if (place !== 'always') return place === 'yes'
    return users.some((user) => aFunctionIsReached(reached[user]))
  }
  const distance = (test: string) => graph.reachedFrom(test).indexOf(path)
  const cost = (test: string) => baselines.get(test)!.seconds
  const isNear = (test: string) => graph.importsOf(test).includes(path)
  return [...baselines]
    .filter(([, baseline]) => isChosen(baseline))
    .map(([test]) => test)
    .sort(
      (one, other) =>
        Number(isNear(other)) - Number(isNear(one)) ||
        cost(one) - cost(other) ||
        distance(one) - distance(other),
    )
}

function usersOf(path: string, graph: ImportGraph, sources: readonly string[]): string[] {
  const importersOf = (used: readonly string[]) =>
    sources.filter((source) => graph.importsOf(source).some((each) => used.includes(each)))
  const direct = importersOf([path])
  return [...new Set([path, ...direct, ...importersOf(direct)])]
}
