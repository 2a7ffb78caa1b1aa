/**
 * How a property is tried: with the same cases in every run of the tests, unless FC_SEED and FC_RUNS ask for others. What
 * fails prints its seed.
 */
export function propertyRuns(numRuns: number): { seed: number; numRuns: number } {
  return {
    seed: Number(process.env.FC_SEED ?? 20_260_302),
    numRuns: Number(process.env.FC_RUNS ?? numRuns),
  }
}
