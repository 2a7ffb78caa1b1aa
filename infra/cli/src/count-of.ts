/** Returns a count of things in words, such as `1 letter` and `2 letters`. */
export function countOf(value: number, one: string, many = `${one}s`): string {
  return `${value} ${value === 1 ? one : many}`
}
