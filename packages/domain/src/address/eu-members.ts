/**
 * The member states of the European Union since 1 February 2020, when the United Kingdom had left, by ISO 3166-1 code.
 * Source: the European Union, "EU countries" (https://european-union.europa.eu/principles-countries-history/eu-countries_en),
 * which lists 27. Change the date with the list.
 *
 * Parts of a member state that have a code of their own are not in it, because carriers count them by where they are:
 * French Guiana, Guadeloupe, Martinique, Mayotte, Réunion and Saint Martin are rest of the world. Åland is added: its
 * letters go by way of Finland.
 */
const euDestinations = new Set([
  ...['AT', 'BE', 'BG', 'CY', 'CZ', 'DE', 'DK', 'EE', 'ES', 'FI', 'FR', 'GR', 'HR', 'HU'],
  ...['IE', 'IT', 'LT', 'LU', 'LV', 'MT', 'NL', 'PL', 'PT', 'RO', 'SE', 'SI', 'SK'],
  'AX',
])

/** Returns whether letters to a country, by its ISO 3166-1 code, go to the European Union. */
export function isInEu(code: string): boolean {
  return euDestinations.has(code)
}
