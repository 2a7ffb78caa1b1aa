/**
 * Returns a name as a person writes it who only heard it: Smyth for Smith, Tailor for Taylor, Jonnes for Jones, Browne
 * for Brown.
 */
export function misspell(name: string): string {
  const swapped = name.replace(/(?<=.)[iy]/, (letter) => (letter === 'i' ? 'y' : 'i'))
  if (swapped !== name) return swapped
  const doubled = name.replace(/(?<=[aeou])[lmnrst](?=[aeou])/, (letter) => letter + letter)
  return doubled === name ? `${name}e` : doubled
}
