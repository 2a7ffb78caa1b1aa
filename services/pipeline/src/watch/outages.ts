import {
  type Dependency,
  unavailableDependency,
} from '@despatch/domain/outage/unavailable-dependency'
import { Gauge, type Registry } from '@despatch/telemetry/metrics'
import type { DependencyWatch, Verdict } from './dependency-watch.ts'

/** All dependencies that the pipeline watches. */
export type Outages = {
  watches: readonly DependencyWatch[]
  isUp(dependency: Dependency): boolean
  /**
   * Judges a fault that a letter or a loop met. Returns undefined if the fault is no outage of a watched dependency.
   */
  judge(
    error: unknown,
    subject: string,
  ): Promise<{ dependency: Dependency; verdict: Verdict } | undefined>
  served(dependency: Dependency, subject: string): void
  /** Resolves once the dependency is up. Rejects if the pipeline closes. */
  whenUp(dependency: Dependency): Promise<void>
  /** Runs the work. Returns 'away' if a dependency that it requires is away or goes away meanwhile. */
  unlessAway<Result>(
    needs: readonly Dependency[],
    subject: string,
    work: () => Promise<Result>,
  ): Promise<Result | 'away'>
  /** Rejects every pending `whenUp`, because the pipeline closes. */
  endWaits(): void
}

export function watchOutages(
  watches: readonly DependencyWatch[],
  { registry }: { registry: Registry },
): Outages {
  const closing = new AbortController()
  const watchOf = (dependency: Dependency | undefined) =>
    watches.find((watch) => watch.dependency === dependency)
  new Gauge({
    name: 'dependency_up',
    help: '0 while a pipeline process cannot reach the dependency, so that its work waits',
    labelNames: ['dependency'],
    registers: [registry],
    collect() {
      for (const { dependency, isUp } of watches) this.set({ dependency }, isUp() ? 1 : 0)
    },
  })

  const isUp = (dependency: Dependency) => watchOf(dependency)?.isUp() ?? true
  const judge: Outages['judge'] = async (error, subject) => {
    const watch = watchOf(unavailableDependency(error))
    if (!watch) return undefined
    return { dependency: watch.dependency, verdict: await watch.judge(error, subject) }
  }
  return {
    watches,
    isUp,
    judge,
    served: (dependency, subject) => watchOf(dependency)?.served(subject),
    whenUp: async (dependency) => watchOf(dependency)?.whenUp(closing.signal),
    unlessAway: async (needs, subject, work) => {
      if (!needs.every(isUp)) return 'away'
      try {
        return await work()
      } catch (error) {
        if ((await judge(error, subject))?.verdict === 'away') return 'away'
        throw error
      }
    },
    endWaits: () => closing.abort(new Error('The pipeline is shutting down')),
  }
}
