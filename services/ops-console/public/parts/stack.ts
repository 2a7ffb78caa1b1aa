/** Returns the heights at which stacked bars end, in the order of the series: each bar begins where the next one ends. */
export function stacked(series: readonly (readonly number[])[]): number[][] {
  return series.map((values, index) =>
    values.map((value, at) =>
      series.slice(index + 1).reduce((sum, below) => sum + (below[at] ?? 0), value),
    ),
  )
}
