/**
 * Returns the parameters of a property test. Every run uses the same cases, unless FC_SEED and FC_RUNS say otherwise. A
 * failure prints its seed.
 */
export function propertyRuns(numRuns: number): { seed: number; numRuns: number } {
  return {
    seed: Number(process.env.FC_SEED ?? 20_260_302),
    numRuns: Number(process.env.FC_RUNS ?? numRuns),
  }
}
