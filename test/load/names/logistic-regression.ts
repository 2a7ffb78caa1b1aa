/** The first number of each row is the constant 1. */
export type Example = { row: readonly number[]; isSame: boolean }

const stepsMax = 50
const stepMin = 1e-9

/**
 * Fits the weights of a logistic regression by Newton's method, each column scaled by its spread. `penalty` keeps the
 * weights small of columns that say nearly the same; it does not apply to the weight of the constant. The same examples
 * give the same weights.
 */
export function fitWeights(examples: readonly Example[], penalty = 1): number[] {
  const spreads = spreadsOf(examples)
  const rows = examples.map(({ row }) => row.map((value, column) => value / spreads[column]!))
  let weights = spreads.map(() => 0)
  for (let count = 0; count < stepsMax; count++) {
    const gradient = weights.map((weight, column) => (column === 0 ? 0 : -penalty * weight))
    const curvature = weights.map((_, column) =>
      weights.map((_, other) => (column === other && column > 0 ? penalty : 0)),
    )
    for (const [index, row] of rows.entries()) {
      const odds = probability(scoreOf(row, weights))
      const missing = Number(examples[index]!.isSame) - odds
      for (const [column, value] of row.entries()) {
        gradient[column]! += missing * value
        for (const [other, against] of row.entries())
          curvature[column]![other]! += odds * (1 - odds) * value * against
      }
    }
    const step = solve(curvature, gradient)
    weights = weights.map((weight, column) => weight + step[column]!)
    if (step.every((part) => Math.abs(part) < stepMin)) break
  }
  return weights.map((weight, column) => weight / spreads[column]!)
}

/** The logarithm of the odds that the names of a row are the same. */
export function scoreOf(row: readonly number[], weights: readonly number[]): number {
  return row.reduce((sum, value, column) => sum + value * weights[column]!, 0)
}

function probability(score: number): number {
  return 1 / (1 + Math.exp(-score))
}

function spreadsOf(examples: readonly Example[]): number[] {
  return examples[0]!.row.map((_, column) => {
    const values = examples.map(({ row }) => row[column]!)
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length
    const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length
    return Math.sqrt(variance) || 1
  })
}

/** Solves matrix · x = right by elimination, with the greatest pivot first. */
function solve(matrix: readonly number[][], right: readonly number[]): number[] {
  const rows = matrix.map((row, index) => [...row, right[index]!])
  for (let pivot = 0; pivot < rows.length; pivot++) {
    let greatest = pivot
    for (let index = pivot + 1; index < rows.length; index++)
      if (Math.abs(rows[index]![pivot]!) > Math.abs(rows[greatest]![pivot]!)) greatest = index
    ;[rows[pivot], rows[greatest]] = [rows[greatest]!, rows[pivot]!]
    const top = rows[pivot]!
    for (const row of rows) {
      if (row === top) continue
      const factor = row[pivot]! / top[pivot]!
      for (let column = pivot; column < row.length; column++) row[column]! -= factor * top[column]!
    }
  }
  return rows.map((row, index) => row.at(-1)! / row[index]!)
}
